// Goal: what is sent over Chat Completions says all that the turn says in a form that servers of many makers take, and gives what one
// of them thought back to that one alone.

import { describe, expect, it } from 'vitest'
import OpenAI from 'openai'
import { openaiChat, type OpenAIChatOptions } from '../../../adapters/models/openai.ts'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { Message, MessageItem, ModelRequest } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { openWire, type Wire } from '../wire.ts'
import { completion } from './chat-driver.ts'

const ASKED: Message = { role: 'user', text: 'Hello.' }

/** A client for OpenAI itself whose requests end at a wire. */
function clientOf(wire: Wire): OpenAI {
  return new OpenAI({
    apiKey: 'key-of-nobody',
    baseURL: 'https://api.openai.com/v1',
    logLevel: 'off',
    fetch: (url, init) => fetch((url as string).replace('https://api.openai.com/v1', wire.url), init),
  })
}

/** The body that a request is sent as. */
async function sent(request: Partial<ModelRequest>, options: OpenAIChatOptions = {}, own = false): Promise<JsonObject> {
  await using wire = await openWire()
  wire.answer(completion({ content: 'Yes.' }, 'stop'))
  const server = own ? { client: clientOf(wire) } : { baseURL: wire.url }
  await openaiChat('test-model', { ...server, stream: false, ...options }).ask({ ...REQUEST, ...request }, askContext())
  return JSON.parse(wire.asked[0]?.body ?? '') as JsonObject
}

async function messagesOf(content: readonly MessageItem[], options: OpenAIChatOptions = {}, own = false): Promise<readonly Json[]> {
  const messages: readonly Message[] = [ASKED, { role: 'assistant', content }]
  return ((await sent({ system: null, messages }, options, own))['messages'] as readonly Json[]).slice(1)
}

const own = (part: JsonObject, host = '127.0.0.1'): Json => ({ 'openai-chat': { host, part } })
const call = (args: string, extra?: Json): MessageItem => ({
  ...{ kind: 'call', id: 'call_1', name: 'refund', arguments: args },
  ...(extra === undefined ? {} : { extra }),
})
const sentCall = (args: string, more: JsonObject = {}) => ({
  ...{ id: 'call_1', type: 'function', function: { name: 'refund', arguments: args } },
  ...more,
})

describe('an assistant message', () => {
  it('holds all words and all calls, with what the server keeps in a call', async () => {
    const signed = { extra_content: { maker: { thought_signature: 'dGg=' } } }
    expect(
      await messagesOf([{ kind: 'text', text: 'First, ' }, call('{"id": "1"}', own(signed)), { kind: 'text', text: 'then.' }]),
    ).toEqual([{ role: 'assistant', content: 'First, then.', tool_calls: [sentCall('{"id": "1"}', signed)] }])
    expect(await messagesOf([call('{}')])).toEqual([{ role: 'assistant', content: null, tool_calls: [sentCall('{}')] }])
  })

  it('that holds nothing is not sent', async () => {
    expect(await messagesOf([{ kind: 'opaque', value: own({ reasoning: 'Hm.' }) }])).toEqual([])
    expect(await messagesOf([])).toEqual([])
  })

  it('gives reasoning back to the server that gave it, unless it may not', async () => {
    const thought: MessageItem = { kind: 'opaque', value: own({ reasoning_content: 'Hm.', reasoning_details: [{ type: 'x' }] }) }
    const [sentBack] = await messagesOf([thought, call('{}')])
    expect(sentBack).toMatchObject({ reasoning_content: 'Hm.', reasoning_details: [{ type: 'x' }] })
    const [without] = await messagesOf([thought, call('{}')], { resendReasoning: false })
    expect(without).toEqual({ role: 'assistant', content: null, tool_calls: [sentCall('{}')] })
    const strangers: readonly MessageItem[] = [
      { kind: 'opaque', value: own({ reasoning_content: 'Hm.' }, 'other.example.com') },
      { kind: 'opaque', value: { anthropic: { type: 'thinking' } } },
      { kind: 'provider-tool', name: 'search', input: {}, extra: { anthropic: {} } },
      call('{}', { anthropic: {} }),
    ]
    expect(await messagesOf(strangers)).toEqual([without])
  })

  it('holds old arguments as they were at OpenAI, and as JSON at servers that read them again', async () => {
    const broken = ['{"id"', '{}{"a":1}', '[1]', '"x"']
    for (const text of broken) {
      const unreadable = JSON.stringify({ unreadable: text })
      expect(await messagesOf([call(text)])).toMatchObject([{ tool_calls: [sentCall(unreadable)] }])
      expect(await messagesOf([call(text)], {}, true)).toMatchObject([{ tool_calls: [sentCall(text)] }])
    }
    expect(await messagesOf([call(' ')])).toMatchObject([{ tool_calls: [sentCall('{}')] }])
    const exact = '{"id": 1234567890123456789, "a":1, "a":2}'
    expect(await messagesOf([call(exact)])).toMatchObject([{ tool_calls: [sentCall(exact)] }])
  })
})

it('results stand right behind their calls, in words, and never in the voice of the user', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'aGk=' }
  const results = [
    { id: 'call_1', tool: 'a', outcome: 'executed' as const, result: { content: [{ type: 'text', text: 'Look:' }, image] } },
    { id: 'call_2', tool: 'b', outcome: 'refused' as const, result: { content: [{ type: 'text', text: 'No.' }], isError: true } },
  ]
  const { messages } = await sent({ system: null, messages: [ASKED, { role: 'system', text: 'Rules.' }, { role: 'tool', results }] })
  expect(messages).toEqual([
    { role: 'user', content: 'Hello.' },
    { role: 'system', content: 'Rules.' },
    { role: 'tool', tool_call_id: 'call_1', content: expect.stringMatching(/^Look:\n\[image, image\/png, .*\]$/) },
    { role: 'tool', tool_call_id: 'call_2', content: 'Error: No.' },
  ])
})

describe('a request', () => {
  it('bounds the answer in the field that the server knows', async () => {
    const options = { maxOutputTokens: 100 }
    expect(await sent({ truncations: 1 }, options)).toMatchObject({ max_tokens: 200 })
    expect(await sent({ truncations: 1 }, options, true)).toMatchObject({ max_completion_tokens: 200 })
    const chosen = await sent({}, { ...options, budgetField: 'max_completion_tokens' })
    expect(chosen).toMatchObject({ max_completion_tokens: 100 })
    expect(chosen).not.toHaveProperty('max_tokens')
  })

  it('has calls one by one where the turn says so, and no switches for tools without tools', async () => {
    expect(await sent({ callsPerRound: 1 })).toMatchObject({ parallel_tool_calls: false })
    const without = await sent({ callsPerRound: 1, tools: [] })
    expect(without).not.toHaveProperty('parallel_tool_calls')
    expect(without).not.toHaveProperty('tools')
  })

  it('says strict only of what is: some servers do not know the word', async () => {
    const tools = [{ name: 'a', description: 'A.', inputSchema: { type: 'object' } }]
    const [tool] = (await sent({ tools }))['tools'] as readonly JsonObject[]
    expect(tool).toEqual({ type: 'function', function: { name: 'a', description: 'A.', parameters: { type: 'object', properties: {} } } })
    const [strict] = (await sent({}))['tools'] as readonly JsonObject[]
    expect(strict).toMatchObject({ function: { strict: true } })
  })

  it('holds a schema for the output', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false }
    expect(await sent({ output: { schema, mode: 'enforced' } })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
    })
    expect(await sent({ output: { schema, mode: 'prompted' } })).not.toHaveProperty('response_format')
  })

  it('asks for the count of tokens in a stream, and holds what else the host wishes', async () => {
    const body = await sent({}, { stream: false, body: { temperature: 0 } })
    expect(body).toMatchObject({ temperature: 0, stream: false })
    expect(body).not.toHaveProperty('stream_options')
  })

  it('that lists a tool of the provider is not sent: there is none in this API', async () => {
    const request = { providerTools: [{ name: 'search', replayPolicy: 'read-only' as const }] }
    expect(await failureOf(sent(request))).toMatchObject({ code: 'model_request_rejected', final: true })
  })
})
