// The stream of a completion, put together to the completion that it tells of.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { AskContext } from '../../../machines/ports/model.ts'
import { cutOff, protocolViolation } from '../failure.ts'
import { joinCalls, type CallPart } from './chat-calls.ts'
import { addDetail } from './chat-details.ts'
import { listIn, objectIn, textIn } from './wire.ts'

/** What was heard so far. Fields that nobody sent are not there, as in a whole message. */
type Heard = {
  readonly texts: Map<string, string>
  readonly details: Json[]
  readonly calls: CallPart[]
  finish: string | null
  usage: JsonObject | undefined
}

/** Fields of a delta whose texts are joined, and what listeners are told of them. */
const TEXTS = [
  { field: 'content', kind: 'text' },
  { field: 'refusal', kind: null },
  { field: 'reasoning_content', kind: 'thinking' },
  { field: 'reasoning', kind: 'thinking' },
] as const

/**
 * The end mark is the finish reason: without one the stream was cut off, however it ended.
 *
 * @throws ModelFailure
 */
export async function assembleCompletion(chunks: AsyncIterable<unknown>, onDelta: AskContext['onDelta'], who: string): Promise<JsonObject> {
  const heard: Heard = { texts: new Map(), details: [], calls: [], finish: null, usage: undefined }
  for await (const chunk of chunks) {
    if (!isJsonObject(chunk)) throw protocolViolation(`${who} sent a chunk that is no object.`)
    heard.usage = objectIn(chunk, 'usage') ?? heard.usage
    for (const choice of listIn(chunk, 'choices')) hear(choice, heard, onDelta, who)
  }
  if (heard.finish === null) throw cutOff(who)
  return completionOf(heard, who)
}

function hear(choice: Json, heard: Heard, onDelta: AskContext['onDelta'], who: string): void {
  if (!isJsonObject(choice) || (choice['index'] ?? 0) !== 0) throw protocolViolation(`${who} sent a choice that was not asked for.`)
  const delta = objectIn(choice, 'delta') ?? {}
  const isLate = heard.finish !== null
  const said = hearTexts(delta, heard, onDelta, who)
  const calls = hearCalls(delta, heard, onDelta, who)
  const details = listIn(delta, 'reasoning_details')
  for (const detail of details) addDetail(heard.details, detail)
  const finish = textIn(choice, 'finish_reason') ?? null
  if (isLate && (said || calls || details.length > 0 || (finish !== null && finish !== heard.finish)))
    throw protocolViolation(`${who} sent a stream that goes on behind its end.`)
  heard.finish ??= finish
}

/** @returns whether anything was said */
function hearTexts(delta: JsonObject, heard: Heard, onDelta: AskContext['onDelta'], who: string): boolean {
  let said = false
  for (const { field, kind } of TEXTS) {
    const text = delta[field] ?? null
    if (text === null || text === '') continue
    if (typeof text !== 'string') throw protocolViolation(`${who} sent a piece of text that is none.`)
    heard.texts.set(field, (heard.texts.get(field) ?? '') + text)
    if (kind !== null) onDelta({ kind, text })
    said = true
  }
  return said
}

/** @returns whether there was any */
function hearCalls(delta: JsonObject, heard: Heard, onDelta: AskContext['onDelta'], who: string): boolean {
  const old = objectIn(delta, 'function_call')
  const parts = [...listIn(delta, 'tool_calls'), ...(old === undefined ? [] : [{ index: 'function_call', function: old }])]
  for (const part of parts) {
    if (!isJsonObject(part)) throw protocolViolation(`${who} sent a piece of a call that is no object.`)
    heard.calls.push(part)
    const text = textIn(objectIn(part, 'function') ?? {}, 'arguments')
    if (text !== undefined) onDelta({ kind: 'call', text })
  }
  return parts.length > 0
}

function completionOf({ texts, details, calls, finish, usage }: Heard, who: string): JsonObject {
  const toolCalls = joinCalls(calls, who)
  const message = {
    ...Object.fromEntries(texts),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
  return { choices: [{ index: 0, message, finish_reason: finish }], ...(usage === undefined ? {} : { usage }) }
}
