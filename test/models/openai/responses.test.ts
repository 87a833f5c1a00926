// Goal: what the Responses API says is read to the letter, whole and streamed, and what it does not say clearly never runs.

import { describe, expect, it } from 'vitest'
import { openai, type OpenAIOptions } from '../../../adapters/models/openai.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST, type Delta } from '../asking.ts'
import { openWire, type Answer } from '../wire.ts'
import { authoredBody, authoredStream, authoredWhole, cut } from './authored.ts'
import { events, eventsOf, functionCall, message, response, whole } from './responses-driver.ts'

const providerTools = { search: { type: 'web_search' }, code: { type: 'code_interpreter', container: { type: 'auto' } } }
const LISTED: ModelRequest = {
  ...REQUEST,
  providerTools: [
    { name: 'search', replayPolicy: 'read-only' },
    { name: 'code', replayPolicy: 'read-only' },
  ],
}

async function roundOf(answer: Answer, stream: boolean, request = REQUEST, options: OpenAIOptions = {}): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  const model = openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody', stream, providerTools, ...options })
  return await model.ask(request, askContext())
}

const read = (of: JsonObject, request = REQUEST) => roundOf(whole(of), false, request)
const stream = (of: readonly JsonObject[]) => roundOf(events(of), true)

const CALL = functionCall('c1', 'refund', '{"id":"1"}')
const VIOLATION = { kind: 'protocol', code: 'model_protocol_violation', final: true }

describe.each(['reasoning-and-two-calls', 'web-search'])('the recording %s', name => {
  it('is the same round streamed and whole', async () => {
    const one = await roundOf(authoredWhole(`openai/${name}`), false, LISTED)
    expect(await roundOf(authoredStream(`openai/${name}`), true, LISTED)).toEqual(one)
    expect(one).toMatchObject({ completion: 'clean', stop: 'completed', usage: { inputTokens: 412, outputTokens: 131, cachedTokens: 256 } })
  })

  it('gives no round when it is cut, wherever that is', async () => {
    const answer = authoredStream(`openai/${name}`)
    for (let after = 0; after < answer.body.length; after += 1) {
      const failure = await failureOf(roundOf(cut(answer, after), true, LISTED))
      expect(failure).toMatchObject({ code: 'model_unavailable', final: false })
    }
  })
})

it('keeps reasoning as it was when it was done, and what came of a search apart from what was searched', async () => {
  const { items } = await roundOf(authoredStream('openai/web-search'), true, LISTED)
  const [reasoning, search] = authoredBody('openai/web-search')['output'] as readonly JsonObject[]
  expect(items[0]).toEqual({ kind: 'opaque', value: { 'openai-responses': { host: '127.0.0.1', part: reasoning } } })
  expect(items[1]).toMatchObject({
    ...{ kind: 'provider-tool', name: 'search', id: 'ws_0001' },
    input: { action: search?.['action'] },
    result: { status: 'completed' },
  })
})

describe('completion', () => {
  it.each([
    [{ status: 'completed' }, 'clean', 'completed'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'truncated', 'max_output_tokens'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'refused', 'content_filter'],
    [{ status: 'incomplete', incomplete_details: { reason: 'steered' } }, 'truncated', 'steered'],
    [{ status: 'incomplete', incomplete_details: null }, 'truncated', 'incomplete'],
    [{ status: 'queued' }, 'truncated', 'queued'],
    [{ status: 'in_progress' }, 'truncated', 'in_progress'],
    [{ status: 'cancelled' }, 'truncated', 'cancelled'],
    [{ status: 'COMPLETED' }, 'truncated', 'COMPLETED'],
    [{ status: null }, 'truncated', 'unknown'],
    [{ status: 7 }, 'truncated', 'unknown'],
  ] as const)('of %j is %s', async (more, completion, stop) => {
    expect(await read(response([CALL], more))).toMatchObject({ completion, stop, items: [{ kind: 'call' }] })
  })

  it.each(['incomplete', 'in_progress', 'zzz'])('is truncated where an item is %s', async status => {
    expect(await read(response([message('a'), functionCall('c1', 'refund', '{}', { status })]))).toMatchObject({ completion: 'truncated' })
    expect(await read(response([message('a', { status }), CALL]))).toMatchObject({ completion: 'truncated' })
  })

  it('is refused where a message says so, with its words, whatever else is there', async () => {
    const refused = message('', {
      content: [
        { type: 'output_text', text: 'Well.' },
        { type: 'refusal', refusal: 'I will not.' },
      ],
    })
    for (const more of [{}, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }])
      expect(await read(response([refused, CALL], more))).toMatchObject({
        completion: 'refused',
        refusal: 'I will not.',
        items: [{ kind: 'text', text: 'Well.' }, { kind: 'call' }],
      })
  })
})

describe('a response that failed', () => {
  it.each([
    ['server_error', { code: 'model_unavailable', final: false }],
    ['rate_limit_exceeded', { code: 'model_unavailable', final: false }],
    ['something_new', { code: 'model_unavailable', final: false }],
    ['context_length_exceeded', { code: 'model_context_exceeded', final: true }],
    ['insufficient_quota', { code: 'model_request_rejected', final: true }],
    ['invalid_prompt', { code: 'model_request_rejected', final: true }],
    ['data_residency_mismatch', { code: 'model_request_rejected', final: true }],
    ['image_too_large', { code: 'model_request_rejected', final: true }],
  ])('by %s', async (code, failure) => {
    const failed = response([CALL], { status: 'failed', error: { code, message: 'secret words' } })
    const thrown = await failureOf(read(failed))
    expect(thrown).toMatchObject(failure)
    expect(thrown.message).not.toContain('secret')
    expect(await failureOf(stream(eventsOf(failed)))).toMatchObject(failure)
    const events = [
      { type: 'response.created', response: {} },
      { type: 'error', code, message: 'secret words', param: null },
    ]
    expect(await failureOf(stream(events))).toMatchObject(failure)
    expect(await failureOf(stream([{ type: 'error', error: { code, message: 'secret words' } }]))).toMatchObject(failure)
  })

  it.each(['content_filter', 'bio_policy'])('by a filter (%s) is a refusal', async code => {
    const refused = { completion: 'refused', stop: code, items: [] }
    expect(await read(response([], { status: 'failed', error: { code, message: '' } }))).toEqual(refused)
    const body = JSON.stringify({ error: { code, message: 'The prompt was filtered.', type: 'invalid_request_error' } })
    expect(await roundOf({ status: 400, body }, true)).toEqual(refused)
  })
})

describe('items of other kinds', () => {
  it.each(['mcp_call', 'mcp_list_tools', 'mcp_approval_request', 'mcp_zzz', 'a2a_call'])('%s fails the round (F4)', async type => {
    const failure = await failureOf(read(response([{ id: 'x', type }, CALL])))
    expect(failure).toMatchObject({ ...VIOLATION, message: expect.stringContaining('handed on') })
  })

  it.each(['custom_tool_call', 'computer_call', 'shell_call', 'tool_search_call', 'function_call_output', 'approval_request', 'program'])(
    '%s was not offered and fails the round',
    async type => {
      expect(await failureOf(read(response([{ id: 'x', type, name: 'refund', input: '{"id":"1"}' }])))).toMatchObject(VIOLATION)
    },
  )

  it.each(['web_search_call', 'code_interpreter_call', 'file_search_call', 'image_generation_call'])(
    '%s fails the round that did not list it (F1)',
    async type => {
      expect(await failureOf(read(response([{ id: 'x', type, status: 'completed' }])))).toMatchObject(VIOLATION)
    },
  )

  it('are kept where they are nothing to act on', async () => {
    const item = { id: 'cmp_1', type: 'compaction', encrypted_content: 'abc' }
    expect((await read(response([item]))).items).toEqual([
      { kind: 'opaque', value: { 'openai-responses': { host: '127.0.0.1', part: item } } },
    ])
  })

  it('tell what a listed tool did, also that it failed', async () => {
    const ran = { id: 'ci_1', type: 'code_interpreter_call', code: '1+1', container_id: 'c', outputs: [{ type: 'logs', logs: '2' }] }
    const { items, completion } = await read(response([{ ...ran, status: 'failed' }]), LISTED)
    expect(completion).toBe('clean')
    expect(items).toMatchObject([
      { name: 'code', id: 'ci_1', input: { code: '1+1', container_id: 'c' }, result: { outputs: ran.outputs, status: 'failed' } },
    ])
    expect(await read(response([{ ...ran, status: 'interpreting' }]), LISTED)).toMatchObject({ completion: 'truncated' })
  })
})

describe('a call', () => {
  it.each(['{"id": 9007199254740993}', '{"a":1,"a":2}', '', '{}{"stock":"MSFT"}', ' {"id"', '"{}"'])('keeps its text: %j', async args => {
    const round = await read(response([functionCall('c1', 'refund', args)]))
    expect(round.items).toEqual([{ kind: 'call', id: 'c1', name: 'refund', arguments: args }])
    expect(await stream(eventsOf(response([functionCall('c1', 'refund', args)])))).toEqual(round)
  })

  it('without text, id or name is a call all the same', async () => {
    const { items } = await read(response([{ type: 'function_call' }]))
    expect(items).toEqual([{ kind: 'call', id: null, name: '', arguments: null }])
  })

  it('with arguments that are no text is no round: written out again they might be others', async () => {
    expect(await failureOf(read(response([{ ...CALL, arguments: { id: 1 } }])))).toMatchObject(VIOLATION)
  })

  it('in a namespace is a call of another tool', async () => {
    expect((await read(response([{ ...CALL, namespace: 'crm' }]))).items).toMatchObject([{ name: 'crm.refund' }])
  })
})

describe('a stream', () => {
  const good = eventsOf(response([message('Yes.'), CALL]))
  const done = good.filter(event => event['type'] === 'response.output_item.done')
  const end = good.at(-1) ?? {}
  const changed = (index: number, change: (event: JsonObject) => JsonObject) =>
    stream(good.map((event, at) => (at === index ? change(event) : event)))

  it('may leave the items out of its end, or tell of them only there', async () => {
    const expected = await stream(good)
    expect(await stream([...good.slice(0, -1), { ...end, response: response([]) }])).toEqual(expected)
    expect(await stream([end])).toEqual(expected)
    expect(await stream([...done, end])).toEqual(expected)
  })

  it.each([
    ['whose pieces are not its text', () => changed(3, event => ({ ...event, delta: 'No' }))],
    ['whose pieces are of an item that is not there', () => changed(3, event => ({ ...event, output_index: 7 }))],
    ['whose pieces are of a part that is not there', () => changed(3, event => ({ ...event, content_index: 7 }))],
    ['whose items are other ones at its end', () => stream([...done, { ...end, response: response([message('Yes.'), message('No.')]) }])],
    [
      'whose calls have other arguments at its end',
      () => stream([...done, { ...end, response: response([message('Yes.'), { ...CALL, arguments: '{}' }]) }]),
    ],
    ['that ends with fewer items than were done', () => stream([...done, { ...end, response: response([message('Yes.')]) }])],
    ['that tells of one item twice', () => stream([...done, ...done, end])],
    ['that leaves an item out', () => stream([...done.slice(1), { ...end, response: response([]) }])],
    ['whose item has a place far away', () => stream([{ type: 'response.output_item.done', output_index: 1e9, item: CALL }, end])],
    ['whose item has no place', () => stream([{ type: 'response.output_item.done', item: CALL }, end])],
    ['that ends incomplete with a response that is completed', () => stream([{ ...end, type: 'response.incomplete' }])],
    ['that ends without a response', () => stream([{ type: 'response.completed' }])],
  ])('%s is no round', async (_, ask) => {
    expect(await failureOf(ask())).toMatchObject(VIOLATION)
  })

  it('tells nothing more once the ask is aborted, also of what has come already', async () => {
    await using wire = await openWire()
    const { headers = {}, body } = events(good)
    wire.answer({ headers, body: (body as readonly string[]).join('') })
    const abort = new AbortController()
    const deltas: Delta[] = []
    const onDelta = (delta: Delta) => {
      deltas.push(delta)
      abort.abort()
    }
    const model = openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody' })
    await expect(model.ask(REQUEST, askContext({ signal: abort.signal, onDelta }))).rejects.toMatchObject({ code: 'runtime_closed' })
    expect(deltas).toHaveLength(1)
  })

  it('tells its thoughts apart from its text', async () => {
    await using wire = await openWire()
    wire.answer(authoredStream('openai/reasoning-and-two-calls'))
    const deltas: Delta[] = []
    const model = openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody' })
    await model.ask(REQUEST, askContext({ onDelta: delta => void deltas.push(delta) }))
    const told = (kind: Delta['kind']) => deltas.map(delta => (delta.kind === kind ? delta.text : '')).join('')
    expect(told('thinking')).toContain('The order comes first, then the money.')
    expect(told('text')).toBe('I will look at the order, then refund it.')
    expect(told('call')).toBe('{"id": "42"}{"id":"42"}')
  })
})
