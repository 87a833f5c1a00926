// Goal: of a stream that contradicts itself nothing is taken for a call, and what is whole is read as it would be in one piece.

import { describe, expect, it } from 'vitest'
import { anthropic } from '../../../adapters/models/anthropic.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST, type Delta } from '../asking.ts'
import { openWire, type Answer } from '../wire.ts'
import { messageOf, streamOf } from './blocks.ts'
import { events } from './driver.ts'

const START = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3 } },
}
const STOP = { type: 'message_stop' }
const ends = (stop: string, usage: JsonObject = {}) => ({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage })
const begin = (index: number, block: JsonObject) => ({ type: 'content_block_start', index, content_block: block })
const over = (index: number) => ({ type: 'content_block_stop', index })
const more = (index: number, delta: JsonObject) => ({ type: 'content_block_delta', index, delta })
const args = (index: number, text: string) => more(index, { type: 'input_json_delta', partial_json: text })
const use = (id: string, input: JsonObject = {}) => ({ type: 'tool_use', id, name: 'refund', input })
const TEXT = { type: 'text', text: '' }

async function roundOf(answer: Answer, stream = true, onDelta: (delta: Delta) => void = () => {}): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  const request = { ...REQUEST, providerTools: [{ name: 'web_search', replayPolicy: 'read-only' as const }] }
  const providerTools = { web_search: { type: 'web_search_20250305', name: 'web_search' } }
  const model = anthropic('claude-test', { baseURL: wire.url, apiKey: 'key-of-nobody', stream, providerTools })
  return await model.ask(request, askContext({ onDelta }))
}

const stream = (...said: readonly JsonObject[]) => events(said.map(event => JSON.stringify(event)))
const violation = { code: 'model_protocol_violation', kind: 'protocol', final: true }

describe('a stream that contradicts itself', () => {
  const CONTRADICTIONS: Readonly<Record<string, readonly JsonObject[]>> = {
    'two calls at once under one index': [begin(0, use('a')), args(0, '{"id":"1"}'), begin(0, use('b')), args(0, '{"id":"2"}'), over(0)],
    'arguments of a block that has not begun': [args(0, '{"id":"1"}')],
    'arguments of a block that is over': [begin(0, use('a')), over(0), args(0, '{"id":"1"}')],
    'arguments of a text': [begin(0, TEXT), args(0, '{"id":"1"}'), over(0)],
    'text of a call': [begin(0, use('a')), more(0, { type: 'text_delta', text: '{"id":"1"}' }), over(0)],
    'arguments at the start and after it': [begin(0, use('a', { id: '1' })), args(0, '{"id":"2"}'), over(0)],
    'a call behind the end of the message': [ends('tool_use'), begin(0, use('a')), args(0, '{"id":"1"}'), over(0)],
    'two ends, the second one better': [ends('max_tokens'), ends('tool_use')],
    'a start behind the end': [ends('max_tokens'), START],
    'a call that is not over': [begin(0, use('a')), args(0, '{"id":"1"}')],
    'the end of a block that has not begun': [over(0)],
    'a block without an index': [{ type: 'content_block_start', content_block: use('a') }],
    'a block without a beginning': [{ type: 'content_block_start', index: 0 }],
    'a call without a name': [begin(0, { type: 'tool_use', id: 'a', input: {} }), over(0)],
    'a piece that is none': [begin(0, TEXT), more(0, { type: 'text_delta', text: 7 }), over(0)],
    'a piece of a kind that nobody knows': [begin(0, TEXT), more(0, { type: 'sound_delta', sound: '' }), over(0)],
    'another message': [{ ...START, message: { ...START.message, id: 'msg_2' } }],
    'the same message once more, when it has begun': [begin(0, use('a')), over(0), START],
  }

  it.each(Object.entries(CONTRADICTIONS))('is no round: %s', async (_, said) => {
    expect(await failureOf(roundOf(stream(START, ...said, ends('tool_use'), STOP)))).toMatchObject(violation)
  })

  it('is no round when it ends a message that never began', async () => {
    expect(await failureOf(roundOf(stream(STOP)))).toMatchObject(violation)
    expect(await failureOf(roundOf(stream(ends('end_turn'), STOP)))).toMatchObject(violation)
  })

  it('is no round when an event is not JSON', async () => {
    for (const data of ['{"type":', '7', '[]']) {
      const answer = stream(START)
      const body = [...(answer.body as string[]), `event: content_block_start\ndata: ${data}\n\n`]
      expect(await failureOf(roundOf({ ...answer, body }))).toMatchObject(violation)
    }
  })
})

describe('a stream that is unusual', () => {
  it('may use an index again whose block is over: they are two calls', async () => {
    const said = [begin(0, use('a')), args(0, '{"id":"1"}'), over(0), begin(0, use('b')), args(0, '{"id":"2"}'), over(0)]
    const { items } = await roundOf(stream(START, ...said, ends('tool_use'), STOP))
    expect(items).toMatchObject([
      { id: 'a', arguments: '{"id":"1"}' },
      { id: 'b', arguments: '{"id":"2"}' },
    ])
  })

  it('may say its calls at once, each under its index', async () => {
    const said = [begin(0, use('a')), begin(1, use('a')), args(1, '{"id":'), args(0, '{"id":"1"}'), args(1, '"2"}'), over(0), over(1)]
    const { items } = await roundOf(stream(START, ...said, ends('tool_use'), STOP))
    expect(items.map(item => item.kind === 'call' && item.arguments)).toEqual(['{"id":"1"}', '{"id":"2"}'])
  })

  it('may give all arguments as a block begins: they are taken as they were written', async () => {
    const answer = stream(START)
    const start = `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"refund","input":{"id": 12345678901234567890}}}\n\n`
    const rest = stream(over(0), ends('tool_use'), STOP).body as string[]
    const { items } = await roundOf({ ...answer, body: [...(answer.body as string[]), start, ...rest] })
    expect(items).toMatchObject([{ arguments: '{"id": 12345678901234567890}' }])
  })

  it('may begin a call without a place for its arguments', async () => {
    const said = [begin(0, { type: 'tool_use', id: 'a', name: 'refund' }), args(0, '{"id":"1"}'), over(0)]
    expect((await roundOf(stream(START, ...said, ends('tool_use'), STOP))).items).toMatchObject([{ arguments: '{"id":"1"}' }])
    const without = [begin(0, { type: 'tool_use', id: 'a', name: 'refund' }), over(0)]
    expect((await roundOf(stream(START, ...without, ends('tool_use'), STOP))).items).toMatchObject([{ arguments: null }])
  })

  it.each(['', '  \n'])('may give an empty text for no arguments: %j', async text => {
    const { items } = await roundOf(stream(START, begin(0, use('a')), args(0, text), over(0), ends('tool_use'), STOP))
    expect(items).toMatchObject([{ kind: 'call', arguments: '{}' }])
  })

  it('may hold pings, and events that nobody knows', async () => {
    const said = [{ type: 'ping' }, { type: 'weather', index: 0 }, begin(0, TEXT), more(0, { type: 'text_delta', text: 'Hi.' }), over(0)]
    expect((await roundOf(stream(START, ...said, ends('end_turn'), STOP))).items).toEqual([{ kind: 'text', text: 'Hi.' }])
  })

  it('may go on behind its end, which says nothing more', async () => {
    const said = stream(START, begin(0, TEXT), over(0), ends('end_turn'), STOP, begin(1, use('a')), over(1))
    expect((await roundOf(said)).items).toEqual([{ kind: 'text', text: '' }])
  })

  it('counts what was used to the end, and keeps what is not told anew', async () => {
    const counted = ends('end_turn', { input_tokens: null, output_tokens: 7, cache_read_input_tokens: 2 })
    expect((await roundOf(stream(START, ends('end_turn', { output_tokens: 1 }), counted, STOP))).usage).toEqual({
      inputTokens: 5,
      outputTokens: 7,
      cachedTokens: 2,
    })
  })
})

describe('an error inside of a stream', () => {
  it.each([
    ['overloaded_error', { code: 'model_unavailable', status: 529, final: false }],
    ['rate_limit_error', { code: 'model_unavailable', status: 429, final: false }],
    ['api_error', { code: 'model_unavailable', status: 500, final: false }],
    ['invalid_request_error', { code: 'model_request_rejected', status: 400, final: true }],
    ['request_too_large', { code: 'model_context_exceeded', status: 413, final: true }],
    ['strange_error', { code: 'model_unavailable', status: 500, final: false }],
  ])('is a failure of its kind: %s', async (type, failure) => {
    const said = stream(START, begin(0, use('a')), args(0, '{"id":"1"}'), over(0), { type: 'error', error: { type, message: 'Busy.' } })
    expect(await failureOf(roundOf(said))).toMatchObject(failure)
    expect(await failureOf(roundOf({ body: JSON.stringify({ type: 'error', error: { type, message: 'Busy.' } }) }, false))).toMatchObject(
      failure,
    )
  })
})

describe('what a filter stopped', () => {
  const error = { type: 'error', error: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' } }
  const refused = { completion: 'refused', stop: 'content_filter', items: [] }

  it('is refused, whatever was said before it', async () => {
    expect(await roundOf(stream(START, begin(0, use('a')), args(0, '{"id":"1"}'), over(0), error))).toEqual(refused)
  })

  it('is refused where nothing was said', async () => {
    expect(await roundOf({ status: 400, body: JSON.stringify(error) })).toEqual(refused)
    expect(await roundOf({ status: 400, body: JSON.stringify(error) }, false)).toEqual(refused)
  })
})

describe('blocks of every kind', () => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
  const BLOCKS: readonly JsonObject[] = [
    { type: 'thinking', thinking: 'So.', signature: 'EqQB' },
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'text', text: 'See ', citations: [{ type: 'page_location', cited_text: 'x', start_page_number: 1 }] },
    search,
    { type: 'web_search_tool_result', tool_use_id: 's1', content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } },
    { type: 'container_upload', file_id: 'file_1' },
    { type: 'hologram', light: { '1': 2, '0': [null] } },
    { type: 'text', text: 'this.' },
    use('c1', { id: '42' }),
  ]

  it('are the same streamed and whole, in their order', async () => {
    const whole = await roundOf(messageOf(BLOCKS, 'tool_use'), false)
    expect(await roundOf(streamOf(BLOCKS, 'tool_use'))).toEqual(whole)
    expect(whole.items.map(({ kind }) => kind)).toEqual([
      ...['opaque', 'opaque', 'text', 'provider-tool', 'provider-tool', 'opaque', 'opaque', 'text', 'call'],
    ])
  })

  it("tell thinking and calls as they grow, and nothing of a provider's tool", async () => {
    const deltas: Delta[] = []
    await roundOf(streamOf(BLOCKS, 'tool_use'), true, delta => void deltas.push(delta))
    const told = (kind: Delta['kind']) => deltas.map(delta => (delta.kind === kind ? delta.text : '')).join('')
    expect([told('thinking'), told('text'), told('call')]).toEqual(['So.', 'See this.', '{"id":"42"}'])
  })

  it("of a provider's tool that was cut off are not read to their end", async () => {
    const cut = [begin(0, { ...search, input: {} }), args(0, '{"que'), over(0)]
    expect(await roundOf(stream(START, ...cut, ends('max_tokens'), STOP))).toMatchObject({ completion: 'truncated', items: [{ id: 's1' }] })
    expect(await failureOf(roundOf(stream(START, ...cut, ends('end_turn'), STOP)))).toMatchObject(violation)
  })
})
