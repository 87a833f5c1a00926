// OpenAI's side of the wire in the Responses API: what a model says, as a response in one piece and as a stream of events.

import { openai } from '../../../adapters/models/openai.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { Driver, Said } from '../driver.ts'
import { eventStream, type Answer } from '../wire.ts'

const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 20,
}

const ENDS: Readonly<Record<Said['stop'], JsonObject>> = {
  end: { status: 'completed', incomplete_details: null },
  calls: { status: 'completed', incomplete_details: null },
  refusal: { status: 'completed', incomplete_details: null },
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  unknown: { status: 'zzz', incomplete_details: null },
}

export function message(text: string, more: JsonObject = {}): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content, ...more }
}

export function functionCall(id: string, name: string, args: string, more: JsonObject = {}): JsonObject {
  return { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: args, ...more }
}

function refusal(text: string): JsonObject {
  return message('', { content: [{ type: 'refusal', refusal: text }] })
}

function itemsOf({ text, calls = [], stop }: Said): readonly JsonObject[] {
  return [
    ...(text === undefined ? [] : [stop === 'refusal' ? refusal(text) : message(text)]),
    ...calls.map(call => functionCall(call.id, call.name, call.arguments)),
  ]
}

export function response(output: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null, ...ENDS.end, output, usage: USAGE, ...more }
}

export function whole(of: JsonObject): Answer {
  return { body: JSON.stringify(of) }
}

/** A stream of events, each under the name of its type. */
export function events(of: readonly JsonObject[]): Answer {
  return eventStream(of.map(event => ({ name: event['type'] as string, data: JSON.stringify(event) })))
}

function piecesOf(text: string): readonly string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)]
}

/** What the API tells of an item before it is done. */
function itemEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const place = { item_id: item['id'] ?? '', output_index: index }
  const [part] = (item['content'] ?? []) as readonly JsonObject[]
  const [type, text] =
    item['type'] === 'function_call'
      ? ['function_call_arguments', item['arguments']]
      : part?.['type'] === 'refusal'
        ? ['refusal', part['refusal']]
        : ['output_text', part?.['text'] ?? '']
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress', content: [], arguments: '' } },
    ...piecesOf(text as string).map(delta => ({ type: `response.${type}.delta`, ...place, content_index: 0, delta })),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

/** The events of a response, in the order in which the API sends them. */
export function eventsOf(of: JsonObject): readonly JsonObject[] {
  const running = { ...of, status: 'in_progress', output: [], usage: null }
  const end = of['status'] === 'incomplete' || of['status'] === 'failed' ? of['status'] : 'completed'
  return [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    ...(of['output'] as readonly JsonObject[]).flatMap(itemEvents),
    { type: `response.${end}`, response: of },
  ]
}

export function errorBody(message: string, more: JsonObject = {}): string {
  return JSON.stringify({ error: { message, type: 'server_error', param: null, code: null, ...more } })
}

export const TOO_LONG: readonly Answer[] = [
  {
    status: 400,
    body: errorBody('Your input exceeds the context window of this model.', {
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    }),
  },
  {
    status: 400,
    body: errorBody("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.", {
      type: 'BadRequestError',
      code: 400,
    }),
  },
  {
    status: 400,
    body: errorBody('the request exceeds the available context size. try increasing it', { type: 'exceed_context_size_error', code: 400 }),
  },
  { status: 400, body: errorBody('prompt is too long; input length exceeds maximum context length', { type: 'invalid_request_error' }) },
]

export const responsesDriver: Driver = {
  model: options => openai('gpt-5', { ...options, maxOutputTokens: 1_024 }),
  whole: said => whole(response(itemsOf(said), ENDS[said.stop])),
  streamed: said => events(eventsOf(response(itemsOf(said), ENDS[said.stop]))),
  errorBody,
  tooLong: TOO_LONG,
  toolNames: body => (body as { tools: { name: string }[] }).tools.map(tool => tool.name),
}
