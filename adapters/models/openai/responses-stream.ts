// The stream of a response, put together to the response that it tells of. Each item counts as it stood when it was done: what came of
// it before may be unfinished, and is held against it, so that a stream that contradicts itself gives nothing.

import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import type { AskContext } from '../../../machines/ports/model.ts'
import { cutOff, protocolViolation } from '../failure.ts'
import { serverFailure } from './failures.ts'
import { listIn, objectIn, textIn } from './wire.ts'

/** What was heard so far. */
type Heard = {
  /** Items that are done, by their index. */
  readonly done: Map<number, JsonObject>
  /** Pieces of texts, joined, by item and part of it: `[0,1]`, or `[0,"arguments"]`. */
  readonly texts: Map<string, string>
}

/** More items than any response has that could be recorded. */
const MOST_ITEMS = 1_000

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** @throws ModelFailure for a stream that says that it failed, has no end, or contradicts itself */
export async function assembleResponse(events: AsyncIterable<unknown>, onDelta: AskContext['onDelta'], who: string): Promise<JsonObject> {
  const heard: Heard = { done: new Map(), texts: new Map() }
  for await (const event of events) {
    if (!isJsonObject(event)) throw protocolViolation(`${who} sent an event that is no object.`)
    if (ENDS.has(event['type'])) return wholeOf(event, heard, who)
    hear(event, heard, onDelta, who)
  }
  throw cutOff(who)
}

function hear(event: JsonObject, heard: Heard, onDelta: AskContext['onDelta'], who: string): void {
  switch (event['type']) {
    case 'response.output_text.delta':
      return add('text', event, heard, onDelta)
    case 'response.function_call_arguments.delta':
      return add('call', event, heard, onDelta)
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return onDelta({ kind: 'thinking', text: textIn(event, 'delta') ?? '' })
    case 'response.output_item.done':
      return finish(event, heard, who)
    case 'error':
      throw serverFailure(objectIn(event, 'error') ?? event, who)
    default:
  }
}

function add(kind: 'text' | 'call', event: JsonObject, { texts }: Heard, onDelta: AskContext['onDelta']): void {
  const text = textIn(event, 'delta')
  if (text === undefined) return
  const place = JSON.stringify([event['output_index'], kind === 'text' ? (event['content_index'] ?? 0) : 'arguments'])
  texts.set(place, (texts.get(place) ?? '') + text)
  onDelta({ kind, text })
}

function finish(event: JsonObject, { done }: Heard, who: string): void {
  const { output_index: index, item } = event
  const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MOST_ITEMS
  if (!isPlace || !isJsonObject(item) || done.has(index)) throw contradiction(who)
  done.set(index, item)
}

/** The response of the last event, with the items as they were done. Some servers leave them out there. */
function wholeOf(event: JsonObject, heard: Heard, who: string): JsonObject {
  const response = objectIn(event, 'response')
  if (response === undefined) throw protocolViolation(`${who} ended a stream without a response.`)
  if (response['status'] === 'completed' && event['type'] !== 'response.completed') throw contradiction(who)
  const told = listIn(response, 'output')
  const count = Math.max(told.length, ...[...heard.done.keys()].map(index => index + 1))
  const output = Array.from({ length: count }, (_, index) => {
    const [done, last] = [heard.done.get(index), told[index]]
    const item = done ?? last
    if (!isJsonObject(item)) throw contradiction(who)
    if (done !== undefined && isJsonObject(last) && essenceOf(done) !== essenceOf(last)) throw contradiction(who)
    return item
  })
  if (told.length > 0 && told.length < count) throw contradiction(who)
  for (const [place, text] of heard.texts) if (textAt(output, place) !== text) throw contradiction(who)
  return { ...response, output }
}

/** What decides of an item: what runs, and what is said. Hidden reasoning is hidden anew each time it is told. */
function essenceOf(item: JsonObject): string {
  const { type, call_id, name, arguments: args, status } = item
  return JSON.stringify([
    type,
    call_id,
    name,
    args,
    status,
    listIn(item, 'content').map(part => (isJsonObject(part) ? part['text'] : null)),
  ])
}

/** The text of an item of which pieces were heard. */
function textAt(output: readonly JsonObject[], place: string): unknown {
  const [index, part] = JSON.parse(place) as readonly [number, number | 'arguments']
  const item = output[index] ?? {}
  if (part === 'arguments') return item['arguments']
  const content = listIn(item, 'content')[part]
  return isJsonObject(content) ? content['text'] : undefined
}

function contradiction(who: string): Error {
  return protocolViolation(`${who} sent a stream that contradicts itself.`)
}
