// A completion of Chat Completions as a round. Whole or assembled from a stream, it is read here and nowhere else.

import type { Completion } from '../../../machines/events/round.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { ModelItem, ModelRound } from '../../../machines/ports/model.ts'
import { protocolViolation } from '../failure.ts'
import type { ToolNames } from '../tool-names.ts'
import { serverFailure } from './failures.ts'
import { keep, type Origin } from './own.ts'
import { listIn, objectIn, restOf, textIn, usageOf } from './wire.ts'

/** What a completion is read with. */
export type ChatReading = {
  /** What the server is called in failures. */
  readonly who: string
  readonly origin: Origin
  readonly names: ToolNames
}

const COUNTED = { input: 'prompt_tokens', output: 'completion_tokens', inputDetails: 'prompt_tokens_details' }

/** Every other word, and none, is truncated. */
const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['stop', 'clean'],
  ['tool_calls', 'clean'],
  ['function_call', 'clean'],
  ['length', 'truncated'],
  ['content_filter', 'refused'],
])

/** Fields in which servers put what the model thought. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const

/** @throws ModelFailure where the completion says that it failed, or is none */
export function chatRound(completion: unknown, reading: ChatReading): ModelRound {
  if (!isJsonObject(completion)) throw protocolViolation(`${reading.who} gave something that is no completion.`)
  const error = objectIn(completion, 'error')
  if (error !== undefined) throw serverFailure(error, reading.who)
  const [choice, ...others] = listIn(completion, 'choices')
  const message = isJsonObject(choice) ? objectIn(choice, 'message') : undefined
  if (!isJsonObject(choice) || message === undefined || others.length > 0)
    throw protocolViolation(`${reading.who} gave something that is not one message.`)
  const stop = textIn(choice, 'finish_reason') ?? 'unknown'
  const refusal = textIn(message, 'refusal')
  return {
    completion: refusal === undefined ? (COMPLETIONS.get(stop) ?? 'truncated') : 'refused',
    stop,
    items: itemsOf(message, reading),
    ...(refusal === undefined ? {} : { refusal }),
    ...usageOf(completion, COUNTED),
  }
}

function itemsOf(message: JsonObject, reading: ChatReading): readonly ModelItem[] {
  const reasoning = Object.fromEntries(REASONING_FIELDS.flatMap(field => (isSaid(message[field]) ? [[field, message[field] as Json]] : [])))
  const text = textOf(message['content'] ?? null, reading.who)
  const old = objectIn(message, 'function_call')
  const calls = [...listIn(message, 'tool_calls'), ...(old === undefined ? [] : [{ function: old }])]
  return [
    ...(Object.keys(reasoning).length === 0 ? [] : [{ kind: 'opaque' as const, value: keep(reading.origin, reasoning) }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map(call => callItem(call, reading)),
  ]
}

function isSaid(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || (Array.isArray(value) && value.length > 0)
}

/** Words, also in parts as some servers give them. */
function textOf(content: Json, who: string): string {
  if (content === null) return ''
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as readonly Json[]) : [content]
  return parts
    .map(part => {
      if (isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string') return part['text']
      throw protocolViolation(`${who} gave a message with content that is no text.`)
    })
    .join('')
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'index', 'type', 'function'])

/** The text of the arguments is taken as it came; arguments that are no text are not written out again, since digits may be lost. */
function callItem(call: Json, { who, origin, names }: ChatReading): ModelItem {
  const called = isJsonObject(call) && (textIn(call, 'type') ?? 'function') === 'function' ? objectIn(call, 'function') : undefined
  if (!isJsonObject(call) || called === undefined) throw protocolViolation('The answer holds a call of a kind that was not offered.')
  const args = called['arguments'] ?? null
  if (args !== null && typeof args !== 'string') throw protocolViolation(`${who} gave arguments that are no text.`)
  const own = restOf(call, CALL_FIELDS)
  return {
    kind: 'call',
    id: textIn(call, 'id') ?? null,
    name: names.toHost(textIn(called, 'name') ?? ''),
    arguments: args,
    ...(Object.keys(own).length === 0 ? {} : { extra: keep(origin, own) }),
  }
}
