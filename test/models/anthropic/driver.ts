// Anthropic's side of the wire: what a model says, as a message in one piece and as a stream of events.

import { anthropic } from '../../../adapters/models/anthropic.ts'
import type { Driver, Said } from '../driver.ts'
import { eventStream, type Answer } from '../wire.ts'

const STOPS: Readonly<Record<Said['stop'], string>> = {
  end: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  unknown: 'zzz',
}

const USAGE = '{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":9}'

const head = (content: string, stop: string): string =>
  `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":${stop},"stop_sequence":null,"usage":${USAGE}}`

/** Argument text is put into the body as it is. */
function whole({ text, calls = [], stop }: Said): Answer {
  const blocks = [
    ...(text === undefined ? [] : [`{"type":"text","text":${JSON.stringify(text)}}`]),
    ...calls.map(
      ({ id, name, arguments: input }) =>
        `{"type":"tool_use","id":"${id}","name":${JSON.stringify(name)},"input":${input === '' ? '{}' : input}}`,
    ),
  ]
  return { body: head(blocks.join(', '), `"${STOPS[stop]}"`) }
}

/** A block in several pieces: the first one is empty, as on the real wire. */
function blockEvents(index: number, start: string, deltas: readonly string[]): readonly string[] {
  return [
    `{"type":"content_block_start","index":${index},"content_block":${start}}`,
    ...deltas.map(delta => `{"type":"content_block_delta","index":${index},"delta":${delta}}`),
    `{"type":"content_block_stop","index":${index}}`,
  ]
}

function piecesOf(text: string): readonly string[] {
  const third = Math.ceil(text.length / 3)
  return ['', text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].map(piece => JSON.stringify(piece))
}

function streamed({ text, calls = [], stop }: Said): Answer {
  const blocks = [
    ...(text === undefined
      ? []
      : [{ start: '{"type":"text","text":""}', deltas: piecesOf(text).map(piece => `{"type":"text_delta","text":${piece}}`) }]),
    ...calls.map(({ id, name, arguments: input }) => ({
      start: `{"type":"tool_use","id":"${id}","name":${JSON.stringify(name)},"input":{}}`,
      deltas: piecesOf(input).map(piece => `{"type":"input_json_delta","partial_json":${piece}}`),
    })),
  ]
  return events([
    `{"type":"message_start","message":${head('', 'null')}}`,
    '{"type": "ping"}',
    ...blocks.flatMap(({ start, deltas }, index) => blockEvents(index, start, deltas)),
    `{"type":"message_delta","delta":{"stop_reason":"${STOPS[stop]}"},"usage":{"output_tokens":9,"input_tokens":null}}`,
    '{"type":"message_stop"}',
  ])
}

/** A stream of events, each under the name of its type. */
export function events(data: readonly string[]): Answer {
  return eventStream(data.map(each => ({ name: (JSON.parse(each) as { type: string }).type, data: each })))
}

function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })
}

export const driver: Driver = {
  model: options => anthropic('claude-test', options),
  whole,
  streamed,
  errorBody: message => errorBody('api_error', message),
  tooLong: [
    { status: 400, body: errorBody('invalid_request_error', 'prompt is too long: 215000 tokens > 200000 maximum') },
    {
      status: 400,
      body: errorBody('invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease one'),
    },
    { status: 413, body: errorBody('request_too_large', 'Request exceeds the maximum size') },
  ],
  toolNames: body => (body as { tools: { name: string }[] }).tools.map(tool => tool.name),
}
