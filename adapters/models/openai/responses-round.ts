// A response of the Responses API as a round. Whole or assembled from a stream, it is read here and nowhere else.

import type { Completion } from '../../../machines/events/round.ts'
import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import type { ModelItem, ModelRound } from '../../../machines/ports/model.ts'
import { protocolViolation } from '../failure.ts'
import type { ToolNames } from '../tool-names.ts'
import { filteredRound, serverFailure } from './failures.ts'
import { keep, type Origin } from './own.ts'
import { nameOfUse, providerToolItem } from './provider-tools.ts'
import { listIn, objectIn, restOf, textIn, usageOf } from './wire.ts'

/** What a response is read with. */
export type ResponsesReading = {
  /** What the server is called in failures. */
  readonly who: string
  readonly origin: Origin
  readonly names: ToolNames
  /** By the type of an item the name of the listed provider tool that it tells of. */
  readonly uses: ReadonlyMap<string, string>
}

const COUNTED = { input: 'input_tokens', output: 'output_tokens', inputDetails: 'input_tokens_details' }

/** @throws ModelFailure where the response says that it failed, or is none */
export function responsesRound(response: unknown, reading: ResponsesReading): ModelRound {
  if (!isJsonObject(response) || !Array.isArray(response['output']))
    throw protocolViolation(`${reading.who} gave something that is no response.`)
  if (response['status'] === 'failed') return failedRound(objectIn(response, 'error') ?? {}, reading.who)
  const output = listIn(response, 'output').map(item => {
    if (isJsonObject(item)) return item
    throw protocolViolation(`${reading.who} gave an item that is no object.`)
  })
  const items = output.flatMap(item => itemsOf(item, reading))
  const refusals = output.flatMap(refusalsIn)
  const { completion, stop } = endOf(response)
  const ended = completion === 'clean' && output.some(isUnfinished) ? 'truncated' : completion
  return {
    completion: refusals.length === 0 ? ended : 'refused',
    stop,
    items,
    ...(refusals.length === 0 ? {} : { refusal: refusals.join('\n') }),
    ...usageOf(response, COUNTED),
  }
}

function failedRound(error: JsonObject, who: string): ModelRound {
  const filtered = filteredRound(error)
  if (filtered === null) throw serverFailure(error, who)
  return filtered
}

/** Why it ended. Only a response that says that it is completed is; of the ways to be cut short one is a refusal. */
function endOf(response: JsonObject): { readonly completion: Completion; readonly stop: string } {
  const status = textIn(response, 'status') ?? 'unknown'
  if (status === 'completed') return { completion: 'clean', stop: status }
  const reason = textIn(objectIn(response, 'incomplete_details') ?? {}, 'reason') ?? status
  return { completion: status === 'incomplete' && reason === 'content_filter' ? 'refused' : 'truncated', stop: reason }
}

/** An item says by itself that it was cut off. A tool of the provider that failed is whole: it failed. */
function isUnfinished({ type, status = null }: JsonObject): boolean {
  if (status === null || status === 'completed') return false
  return status !== 'failed' || type === 'function_call' || type === 'message'
}

function itemsOf(item: JsonObject, reading: ResponsesReading): readonly ModelItem[] {
  switch (item['type']) {
    case 'message':
      return textItems(item, reading.origin)
    case 'function_call':
      return [callItem(item, reading)]
    case 'reasoning':
      return [{ kind: 'opaque', value: keep(reading.origin, item) }]
    default: {
      const name = nameOfUse(item, reading.uses)
      return [name === undefined ? { kind: 'opaque', value: keep(reading.origin, item) } : providerToolItem(item, name, reading.origin)]
    }
  }
}

/** The texts of a message; a refusal is none of them. */
function textItems(message: JsonObject, origin: Origin): readonly ModelItem[] {
  const own = restOf(message, MESSAGE_FIELDS)
  return listIn(message, 'content').flatMap((part): readonly ModelItem[] => {
    const text = isJsonObject(part) && part['type'] === 'output_text' ? textIn(part, 'text') : undefined
    if (!isJsonObject(part) || text === undefined) return []
    const kept = { ...own, ...restOf(part, PART_FIELDS) }
    return [{ kind: 'text', text, ...(Object.keys(kept).length === 0 ? {} : { extra: keep(origin, kept) }) }]
  })
}

/** What is said anew when a message is sent back, or says nothing then. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'role', 'status', 'content'])
const PART_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'logprobs'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'status', 'call_id', 'name', 'arguments'])

/** A name in a namespace is another name than the one that was offered. */
function callItem(item: JsonObject, { who, origin, names }: ResponsesReading): ModelItem {
  const args = item['arguments'] ?? null
  if (args !== null && typeof args !== 'string') throw protocolViolation(`${who} gave arguments that are no text.`)
  const namespace = textIn(item, 'namespace')
  const name = textIn(item, 'name') ?? ''
  const own = restOf(item, CALL_FIELDS)
  return {
    kind: 'call',
    id: textIn(item, 'call_id') ?? null,
    name: namespace === undefined ? names.toHost(name) : `${namespace}.${name}`,
    arguments: args,
    ...(Object.keys(own).length === 0 ? {} : { extra: keep(origin, own) }),
  }
}

function refusalsIn(item: JsonObject): readonly string[] {
  if (item['type'] !== 'message') return []
  return listIn(item, 'content').flatMap(part => (isJsonObject(part) && part['type'] === 'refusal' ? [textIn(part, 'refusal') ?? ''] : []))
}
