// Goal: what Chat Completions says is read to the letter, from OpenAI and from servers that only speak like it, and nothing that is cut
// off or contradicts itself runs.

import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../../adapters/models/openai.ts'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { eventStream, openWire, type Answer } from '../wire.ts'
import { authoredBody, authoredStream, authoredWhole, cut } from './authored.ts'
import { chunk, chunks, completion, toolCall } from './chat-driver.ts'

async function roundOf(answer: Answer, stream: boolean): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  return await openaiChat('test-model', { baseURL: wire.url, stream }).ask(REQUEST, askContext())
}

const read = (message: JsonObject, finish: Json = 'stop', more: JsonObject = {}) => roundOf(completion(message, finish, more), false)
const stream = (of: readonly JsonObject[]) => roundOf(chunks(of), true)
const VIOLATION = { kind: 'protocol', code: 'model_protocol_violation', final: true }
const CALL = toolCall('c1', 'refund', '{"id":"1"}')

describe.each(['two-calls', 'reasoning-text', 'reasoning-blocks'])('the recording %s', name => {
  it('is the same round streamed and whole', async () => {
    const one = await roundOf(authoredWhole(`openai-chat/${name}`), false)
    expect(await roundOf(authoredStream(`openai-chat/${name}`), true)).toEqual(one)
    expect(one).toMatchObject({ completion: 'clean', stop: 'tool_calls', usage: { inputTokens: 88, outputTokens: 40, cachedTokens: 64 } })
  })

  it('gives no round when it is cut before its end mark', async () => {
    const answer = authoredStream(`openai-chat/${name}`)
    const mark = (answer.body as readonly string[]).findIndex(piece => piece.includes('"finish_reason":"'))
    for (let after = 0; after <= mark; after += 1)
      expect(await failureOf(roundOf(cut(answer, after), true))).toMatchObject({ code: 'model_unavailable', final: false })
    expect(await roundOf(cut(answer, mark + 1), true)).toMatchObject({ completion: 'clean' })
  })
})

it('keeps what the model thought in the blocks in which the server gave it', async () => {
  const [choice] = authoredBody('openai-chat/reasoning-blocks')['choices'] as readonly { readonly message: JsonObject }[]
  const { reasoning, reasoning_details } = choice?.message ?? {}
  const { items } = await roundOf(authoredStream('openai-chat/reasoning-blocks'), true)
  expect(items).toEqual([
    { kind: 'opaque', value: { 'openai-chat': { host: '127.0.0.1', part: { reasoning, reasoning_details } } } },
    {
      ...{ kind: 'call', id: 'call_3x', name: 'find_order', arguments: '{"id":"42"}' },
      extra: { 'openai-chat': { host: '127.0.0.1', part: { extra_content: { maker: { thought_signature: 'dGg=' } } } } },
    },
  ])
})

it('joins pieces of a block by its index and type, and never hidden ones', async () => {
  const pieces = [
    { type: 'reasoning.text', index: 0, text: 'a' },
    { type: 'reasoning.text', index: 0, text: 'b', signature: 's' },
    { type: 'reasoning.text', index: 1, text: 'c' },
    { type: 'reasoning.summary', index: 1, summary: 'd' },
    { type: 'reasoning.summary', index: 1, summary: 'e' },
    { type: 'reasoning.encrypted', index: 2, data: 'f' },
    { type: 'reasoning.encrypted', index: 2, data: 'g' },
    { type: 'reasoning.text', text: 'h' },
    { type: 'reasoning.text', text: 'i' },
  ]
  const { items } = await stream([...pieces.map(piece => chunk({ reasoning_details: [piece] })), chunk({}, 'stop')])
  const blocks = [{ ...pieces[1], text: 'ab' }, pieces[2], { ...pieces[3], summary: 'de' }, ...pieces.slice(5)]
  expect(items).toEqual([{ kind: 'opaque', value: { 'openai-chat': { host: '127.0.0.1', part: { reasoning_details: blocks } } } }])
})

describe('completion', () => {
  it.each([
    ['stop', 'clean', 'stop'],
    ['tool_calls', 'clean', 'tool_calls'],
    ['function_call', 'clean', 'function_call'],
    ['length', 'truncated', 'length'],
    ['content_filter', 'refused', 'content_filter'],
    ['error', 'truncated', 'error'],
    ['STOP', 'truncated', 'STOP'],
    ['', 'truncated', 'unknown'],
    [null, 'truncated', 'unknown'],
    [3, 'truncated', 'unknown'],
  ])('of %j is %s', async (finish, expected, stop) => {
    expect(await read({ tool_calls: [CALL] }, finish)).toMatchObject({ completion: expected, stop, items: [{ kind: 'call' }] })
  })

  it('is refused where a message says so, with its words', async () => {
    const refused = { completion: 'refused', stop: 'stop', refusal: 'I will not.', items: [{ kind: 'call' }] }
    expect(await read({ refusal: 'I will not.', tool_calls: [CALL] })).toMatchObject(refused)
    expect(
      await stream([chunk({ refusal: 'I will' }), chunk({ refusal: ' not.' }), chunk({ tool_calls: [{ index: 0, ...CALL }] }, 'stop')]),
    ).toMatchObject(refused)
  })
})

describe('a call', () => {
  it.each([
    ['of another type', { id: 'a', type: 'custom', custom: { name: 'r', input: 'x' } }],
    ['of no function', { id: 'a', type: 'function' }],
    ['that is no object', 'r'],
    ['whose arguments are no text', { id: 'a', function: { name: 'r', arguments: { p: 1 } } }],
  ])('%s is no round', async (_, call) => {
    expect(await failureOf(read({ tool_calls: [call] }))).toMatchObject(VIOLATION)
  })

  it('without id, type or arguments is a call all the same, and one of the older form is one', async () => {
    const { items } = await read({ tool_calls: [{ id: '', function: { name: 'r' } }], function_call: { name: 's', arguments: '{}' } })
    expect(items).toEqual([
      { kind: 'call', id: null, name: 'r', arguments: null },
      { kind: 'call', id: null, name: 's', arguments: '{}' },
    ])
  })

  it('in the words of a message is words', async () => {
    const text = '<tool_call>{"name":"refund","arguments":{"id":"1"}}</tool_call>'
    expect((await read({ content: text })).items).toEqual([{ kind: 'text', text }])
    expect((await read({ content: '', reasoning_content: text })).items).toMatchObject([{ kind: 'opaque' }])
  })
})

describe('content', () => {
  it('in parts is the text of them, and no round where one is no text', async () => {
    expect(
      (
        await read({
          content: [
            { type: 'text', text: 'Y' },
            { type: 'text', text: 'es.' },
          ],
        })
      ).items,
    ).toEqual([{ kind: 'text', text: 'Yes.' }])
    for (const content of [[{ type: 'thinking', thinking: [] }], [7], { text: 'x' }, 7])
      expect(await failureOf(read({ content }))).toMatchObject(VIOLATION)
    expect(await failureOf(stream([chunk({ content: ['x'] }), chunk({}, 'stop')]))).toMatchObject(VIOLATION)
  })
})

describe('a stream', () => {
  it.each([
    ['with text behind its end', [chunk({}, 'stop'), chunk({ content: 'more' })]],
    ['with a call behind its end', [chunk({}, 'stop'), chunk({ tool_calls: [{ index: 0, ...CALL }] })]],
    ['with two ends', [chunk({}, 'stop'), chunk({}, 'tool_calls')]],
    ['with a second choice', [chunk({}, 'stop', { choices: [{ index: 1, delta: { content: 'other' }, finish_reason: null }] })]],
    ['with a chunk that is none', [chunk({ tool_calls: ['x'] }), chunk({}, 'stop')]],
  ])('%s is no round', async (_, of) => {
    expect(await failureOf(stream(of))).toMatchObject(VIOLATION)
  })

  it('may say its end twice, and nothing behind it', async () => {
    expect(
      await stream([chunk({ content: 'Yes.' }, 'stop'), chunk({ content: '' }, 'stop'), chunk({ role: 'assistant', content: null })]),
    ).toMatchObject({ completion: 'clean', items: [{ text: 'Yes.' }] })
  })

  it('without a finish reason is cut off, also when it says that it is done', async () => {
    expect(await failureOf(stream([chunk({ content: 'Yes.' })]))).toMatchObject({ kind: 'reset', final: false })
  })
})

describe('a failure', () => {
  const inStream = (error: JsonObject) =>
    roundOf(eventStream([{ data: JSON.stringify(chunk({ content: 'Y' })) }, { data: JSON.stringify({ error }) }]), true)
  const inBody = (error: JsonObject) => roundOf({ body: JSON.stringify({ error }) }, false)

  it.each([
    [
      { code: 502, message: 'Provider returned error' },
      { kind: 'http', status: 502, code: 'model_unavailable', final: false },
    ],
    [
      { code: 'rate_limit_exceeded', message: '' },
      { kind: 'http', code: 'model_unavailable', final: false },
    ],
    [
      { code: 400, message: "This model's maximum context length is 10 tokens." },
      { status: 400, code: 'model_context_exceeded', final: true },
    ],
    [
      { code: 403, message: 'Your key is disabled.' },
      { status: 403, code: 'model_request_rejected', final: true },
    ],
    [{ message: 'worker died' }, { code: 'model_unavailable', final: false }],
  ])('in place of an answer: %j', async (error, failure) => {
    expect(await failureOf(inBody(error))).toMatchObject(failure)
    expect(await failureOf(inStream(error))).toMatchObject(failure)
  })

  it.each([
    'The decoder prompt (length 9000) is longer than the maximum model length of 4096.',
    "This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'the request exceeds the available context size, try increasing it',
    'input length exceeds the context length',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  ])('that a request is too long is known by its words where servers have no code: %s', async message => {
    const body = JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } })
    expect(await failureOf(roundOf({ status: 400, body }, true))).toMatchObject({ code: 'model_context_exceeded', final: true })
  })

  it.each([
    '`max_tokens` must be at least 1',
    'Unknown field: context',
    'Rate limit reached for tokens per min. Requested 9000.',
    'The maximum length of `tools` is 128',
  ])('of another kind is not taken for one: %s', async message => {
    const body = JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } })
    expect(await failureOf(roundOf({ status: 400, body }, true))).toMatchObject({ code: 'model_request_rejected', final: true })
  })
})
