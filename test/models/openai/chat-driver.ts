// The other side of the wire in Chat Completions: what a model says, as a completion in one piece and as a stream of chunks.

import { openaiChat } from '../../../adapters/models/openai.ts'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { Driver, Said } from '../driver.ts'
import type { Answer } from '../wire.ts'
import { errorBody, TOO_LONG } from './responses-driver.ts'

const USAGE = { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20, prompt_tokens_details: { cached_tokens: 4 } }

const STOPS: Readonly<Record<Said['stop'], string>> = {
  end: 'stop',
  calls: 'tool_calls',
  refusal: 'stop',
  length: 'length',
  unknown: 'zzz',
}

export function toolCall(id: string, name: string, args: string, more: JsonObject = {}): JsonObject {
  return { id, type: 'function', function: { name, arguments: args }, ...more }
}

function messageOf({ text, calls = [], stop }: Said): JsonObject {
  return {
    content: stop === 'refusal' ? null : (text ?? null),
    refusal: stop === 'refusal' ? (text ?? null) : null,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(call => toolCall(call.id, call.name, call.arguments)) }),
  }
}

export function completion(message: JsonObject, finish: Json, more: JsonObject = {}): Answer {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: finish }]
  return { body: JSON.stringify({ id: 'chatcmpl_1', object: 'chat.completion', created: 1, model: 'm', choices, usage: USAGE, ...more }) }
}

/** A chunk of a stream. */
export function chunk(delta: JsonObject, finish: Json = null, more: JsonObject = {}): JsonObject {
  return { id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 1, choices: [{ index: 0, delta, finish_reason: finish }], ...more }
}

/** The last chunk, the usage and the end mark leave together: without that piece there is no finish reason. */
export function chunks(of: readonly JsonObject[]): Answer {
  const data = of.map(each => `data: ${JSON.stringify(each)}\n\n`)
  const last = `${data.at(-1) ?? ''}data: {"choices":[],"usage":${JSON.stringify(USAGE)}}\n\ndata: [DONE]\n\n`
  return { headers: { 'content-type': 'text/event-stream' }, body: [...data.slice(0, -1), last] }
}

function piecesOf(text: string): readonly string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)]
}

function streamed({ text, calls = [], stop }: Said): Answer {
  const field = stop === 'refusal' ? 'refusal' : 'content'
  return chunks([
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(text ?? '').map(piece => chunk({ [field]: piece })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...piecesOf(call.arguments).map(piece => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({ ...LONG }, STOPS[stop]),
  ])
}

/** Makes the half of the last piece end inside of its first chunk. */
const LONG = { content: null, padding: '.'.repeat(200) }

export const chatDriver: Driver = {
  model: options => openaiChat('test-model', { ...options, maxOutputTokens: 1_024 }),
  whole: said => completion(messageOf(said), STOPS[said.stop]),
  streamed,
  errorBody,
  tooLong: TOO_LONG,
  toolNames: body => (body as { tools: { function: { name: string } }[] }).tools.map(tool => tool.function.name),
}
