// Goal: what the interface is asked is the neutral request, part for part: nothing that can be run, nothing of another provider, and
// nothing that cannot be read back.

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { aiSdk, type AiSdkOptions } from '../../../adapters/models/ai-sdk.ts'
import type { Message, ModelRequest } from '../../../machines/ports/model.ts'
import type { ToolResult } from '../../../machines/tool.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { fakeModel, finish } from './fake.ts'

async function asked(request: Partial<ModelRequest>, options: AiSdkOptions = {}): Promise<LanguageModelV4CallOptions> {
  const seen: LanguageModelV4CallOptions[] = []
  await aiSdk(
    fakeModel([[finish('stop')]], call => void seen.push(call)),
    options,
  ).ask({ ...REQUEST, ...request }, askContext())
  return seen[0] as LanguageModelV4CallOptions
}

const promptOf = async (...messages: readonly Message[]) => (await asked({ messages, system: null })).prompt

describe('messages', () => {
  it('go out by their roles, with the system prompt first', async () => {
    const messages: readonly Message[] = [
      { role: 'user', text: 'Hello.' },
      { role: 'assistant', content: [{ kind: 'text', text: 'Hi.' }] },
      { role: 'system', text: 'Be brief.' },
    ]
    expect((await asked({ messages })).prompt).toEqual([
      { role: 'system', content: 'You work in a shop.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
      { role: 'system', content: 'Be brief.' },
    ])
  })

  it('hold what the provider gave as it gave it, under its options', async () => {
    const metadata = { nobody: { signature: 'Er8B+/Zg==\u2028\\"' } }
    const own = (part: object) => ({ 'ai-sdk/nobody': part }) as never
    const [message] = await promptOf({
      role: 'assistant',
      content: [
        { kind: 'opaque', value: own({ type: 'reasoning', text: 'Hm.', providerMetadata: metadata }) },
        { kind: 'opaque', value: own({ type: 'custom', kind: 'nobody.thing', providerMetadata: metadata }) },
        { kind: 'opaque', value: own({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }) },
        {
          kind: 'opaque',
          value: own({ type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: 'https://example.com/a' } }),
        },
        { kind: 'opaque', value: own({ type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' }) },
        { kind: 'text', text: 'I look.', extra: own({ providerMetadata: metadata }) },
        { kind: 'call', id: 'call_1', name: 'refund', arguments: '{"id":"1"}', extra: own({ providerMetadata: metadata }) },
        { kind: 'provider-tool', name: 'search', id: 'p1', input: { q: 1 }, extra: own({ providerMetadata: metadata }) },
        { kind: 'provider-tool', name: 'search', id: 'p1', result: { n: 1 }, extra: own({ providerMetadata: metadata }) },
        { kind: 'provider-tool', name: 'search', id: 'p2', result: { n: 2 }, extra: own({ isError: true }) },
      ],
    })
    const providerOptions = metadata
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions },
      { type: 'custom', kind: 'nobody.thing', providerOptions },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
      {
        ...{ type: 'reasoning-file', mediaType: 'image/png' },
        data: { type: 'url', url: new URL('https://example.com/a'), originalUrl: 'https://example.com/a' },
      },
      { type: 'text', text: 'I look.', providerOptions },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'refund', input: { id: '1' }, providerOptions },
      { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: { q: 1 }, providerExecuted: true, providerOptions },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', output: { type: 'json', value: { n: 1 } }, providerOptions },
      { type: 'tool-result', toolCallId: 'p2', toolName: 'search', output: { type: 'error-json', value: { n: 2 } } },
    ])
  })

  it('hold nothing that another provider gave for itself', async () => {
    const prompt = await promptOf({
      role: 'assistant',
      content: [
        { kind: 'opaque', value: { 'ai-sdk/somebody': { type: 'reasoning', text: 'Hm.' } } },
        { kind: 'opaque', value: { type: 'thinking', thinking: 'Hm.', signature: 'x' } },
        { kind: 'provider-tool', name: 'search', id: 'p1', input: {}, extra: { anthropic: { type: 'server_tool_use' } } },
        { kind: 'text', text: 'Hi.', extra: { openai: { id: 'msg_1' } } },
      ],
    })
    expect(prompt).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }])
    expect(await promptOf({ role: 'assistant', content: [{ kind: 'opaque', value: 1 }] })).toEqual([])
  })

  it.each([
    ['', {}],
    ['  ', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":1', { INVALID_JSON: '{"a":1' }],
    ['[1]', { INVALID_JSON: '[1]' }],
    ['{"a":1,"a":2}', { INVALID_JSON: '{"a":1,"a":2}' }],
    ['{"a":12345678901234567890}', { INVALID_JSON: '{"a":12345678901234567890}' }],
  ])('hold arguments as a value, and a text that is none as a text: %s', async (text, input) => {
    const [message] = await promptOf({ role: 'assistant', content: [{ kind: 'call', id: 'call_1', name: 'refund', arguments: text }] })
    expect(message?.content).toMatchObject([{ input }])
  })
})

describe('results', () => {
  const output = async (result: ToolResult) => {
    const [message] = await promptOf({ role: 'tool', results: [{ id: 'call_1', tool: 'refund', outcome: 'executed', result }] })
    const { content } = message as { readonly content: readonly { readonly output: unknown }[] }
    return content[0]?.output
  }
  const text = (said: string) => ({ type: 'text', text: said })
  const image = { type: 'image', data: 'AQID', mimeType: 'image/png' }

  it('go out all in one message, each under the id of its call', async () => {
    const result = { content: [text('ok')] }
    const prompt = await promptOf({
      role: 'tool',
      results: [
        { id: 'call_1', tool: 'find_order', outcome: 'executed', result },
        { id: 'call_2', tool: 'shop.orders/find', outcome: 'invalid', result: { ...result, isError: true } },
      ],
    })
    expect(prompt).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'call_1', toolName: 'find_order', output: { type: 'text', value: 'ok' } },
          {
            ...{ type: 'tool-result', toolCallId: 'call_2', output: { type: 'error-text', value: 'ok' } },
            toolName: expect.stringMatching(/^shop_orders_find_[0-9a-f]{8}$/),
          },
        ],
      },
    ])
  })

  it('are text where they are text', async () => {
    expect(await output({ content: [text('a'), text('b')] })).toEqual({ type: 'text', value: 'a\nb' })
    expect(await output({ content: [text('a')], structuredContent: { n: 1 } })).toEqual({ type: 'text', value: 'a\n{"n":1}' })
    expect(await output({ content: [{ type: 'resource', resource: { uri: 'u', text: 'r' } }] })).toEqual({ type: 'text', value: 'r' })
  })

  it('are files beside text where they are pictures or documents', async () => {
    const pdf = { type: 'resource', resource: { uri: 'u', mimeType: 'application/pdf', blob: 'AQID' } }
    expect(await output({ content: [text('See'), image, pdf] })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'See' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
        { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'AQID' } },
      ],
    })
  })

  it('name in words what packages leave out in silence, and errors always', async () => {
    const audio = { type: 'audio', data: 'AQID', mimeType: 'audio/wav' }
    expect(await output({ content: [audio] })).toEqual({ type: 'text', value: expect.stringContaining('audio/wav') })
    expect(await output({ content: [text('No.'), image], isError: true })).toEqual({
      type: 'error-text',
      value: expect.stringMatching(/^No\.\n.*image\/png/),
    })
  })
})

describe('tools', () => {
  it('go out as descriptions, strict where their schema allows it', async () => {
    const open = { name: 'open', description: 'Opens.', inputSchema: { type: 'object', properties: { a: {} } } }
    const { tools, toolChoice } = await asked({ tools: [...REQUEST.tools, open] })
    expect(tools).toMatchObject([
      { type: 'function', name: 'find_order', description: 'Finds one order by its id.', inputSchema: { type: 'object' }, strict: true },
      { name: 'refund', strict: true },
      { name: 'open', strict: false },
    ])
    expect(toolChoice).toEqual({ type: 'auto' })
  })

  it('are none where there are none', async () => {
    const call = await asked({ tools: [] })
    expect(call).not.toHaveProperty('tools')
    expect(call).not.toHaveProperty('toolChoice')
  })

  it.each([
    [true, { type: 'object' }],
    [false, { type: 'object', not: {} }],
    [{}, { type: 'object' }],
    [{ anyOf: [{ type: 'object' }] }, { type: 'object', anyOf: [{ type: 'object' }] }],
  ])('have an object as their arguments, whatever the schema says: %j', async (inputSchema, sent) => {
    expect((await asked({ tools: [{ name: 'a', description: '', inputSchema }] })).tools).toMatchObject([{ inputSchema: sent }])
  })

  it('are not called as a tool that a package has for itself', async () => {
    const { tools } = await asked({ tools: [{ name: 'json', description: '', inputSchema: true }] })
    expect(tools?.[0]?.name).toMatch(/^json_[0-9a-f]{8}$/)
  })

  it('of the provider are those that the turn lists, by its names', async () => {
    const providerTools = {
      search: { type: 'provider', id: 'nobody.search', args: { max: 1 }, isProviderExecuted: true, execute: () => 1 },
      other: { type: 'provider', id: 'nobody.other' },
    } as const
    const { tools } = await asked({ tools: [], providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }, { providerTools })
    expect(tools).toEqual([{ type: 'provider', id: 'nobody.search', name: 'search', args: { max: 1 } }])
  })

  it('of the provider that have no definition, or the name of another tool, cannot be asked for', async () => {
    const providerTools = { refund: { type: 'provider', id: 'nobody.refund' } } as const
    const ask = (name: string) =>
      failureOf(
        aiSdk(fakeModel([]), { providerTools }).ask({ ...REQUEST, providerTools: [{ name, replayPolicy: 'read-only' }] }, askContext()),
      )
    expect(await ask('search')).toMatchObject({ code: 'model_request_rejected', final: true })
    expect(await ask('refund')).toMatchObject({ code: 'model_request_rejected', final: true })
  })
})

describe('the rest', () => {
  it('is the host, and the signal of the ask', async () => {
    const call = await asked({}, { providerOptions: { nobody: { thinking: { type: 'adaptive' } } } })
    expect(call.providerOptions).toEqual({ nobody: { thinking: { type: 'adaptive' } } })
    expect(call.abortSignal).toBeInstanceOf(AbortSignal)
    expect(call.includeRawChunks).toBe(true)
    expect(call).not.toHaveProperty('maxOutputTokens')
    expect(await asked({})).not.toHaveProperty('providerOptions')
  })

  it('doubles the room after an answer that ran out of it', async () => {
    expect((await asked({ truncations: 2 }, { maxOutputTokens: 100 })).maxOutputTokens).toBe(400)
  })

  it('asks for output of a schema only where the model holds one', async () => {
    const schema = { type: 'object' }
    expect(await asked({ output: { schema, mode: 'prompted' } })).not.toHaveProperty('responseFormat')
    const enforced = await asked({ output: { schema, mode: 'enforced' } }, { enforcedOutput: true })
    expect(enforced.responseFormat).toEqual({ type: 'json', schema })
    expect((await asked({ output: { schema: true, mode: 'enforced' } })).responseFormat).toEqual({ type: 'json' })
  })

  it.each([
    ['openai.responses', {}, { openai: { store: false } }],
    ['azure.responses', { azure: { a: 1 } }, { azure: { store: false, a: 1 } }],
    ['openai.responses', { openai: { store: true } }, { openai: { store: true } }],
    ['openai.chat', {}, undefined],
  ])('has %s store nothing, unless the host says so', async (provider, providerOptions, sent) => {
    const seen: LanguageModelV4CallOptions[] = []
    const model = { ...fakeModel([[finish('stop')]], call => void seen.push(call)), provider }
    await aiSdk(model, { providerOptions }).ask(REQUEST, askContext())
    expect(seen[0]?.providerOptions).toEqual(sent)
  })
})
