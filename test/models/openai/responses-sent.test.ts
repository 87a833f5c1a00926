// Goal: what is sent to the Responses API says all that the turn says, gives each server back only its own, and offers only what is listed.

import { describe, expect, it } from 'vitest'
import { openai, type OpenAIOptions } from '../../../adapters/models/openai.ts'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { Message, MessageItem, ModelRequest } from '../../../machines/ports/model.ts'
import type { ToolResult } from '../../../machines/tool.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { openWire } from '../wire.ts'
import { message, response, whole } from './responses-driver.ts'

const ASKED: Message = { role: 'user', text: 'Hello.' }

/** The body that a request is sent as. */
async function sent(request: Partial<ModelRequest>, options: OpenAIOptions = {}, model = 'gpt-5'): Promise<JsonObject> {
  await using wire = await openWire()
  wire.answer(whole(response([message('Yes.')])))
  await openai(model, { baseURL: wire.url, apiKey: 'key-of-nobody', stream: false, ...options }).ask(
    { ...REQUEST, ...request },
    askContext(),
  )
  return JSON.parse(wire.asked[0]?.body ?? '') as JsonObject
}

const inputOf = async (content: readonly MessageItem[]): Promise<readonly Json[]> =>
  ((await sent({ messages: [ASKED, { role: 'assistant', content }] }))['input'] as readonly Json[]).slice(1)

const own = (part: JsonObject, host = '127.0.0.1'): Json => ({ 'openai-responses': { host, part } })
const REASONING = { id: 'rs_1', type: 'reasoning', encrypted_content: 'gAAA+/==', summary: [] }

describe('what was said', () => {
  it('is sent in its order, each message with its phase', async () => {
    const call: MessageItem = { kind: 'call', id: 'call_1', name: 'shop.orders/find', arguments: ' {"id" :"1"}' }
    const [, ...input] = (
      await sent({
        system: 'Be brief.',
        messages: [
          { role: 'system', text: 'Rules.' },
          { role: 'assistant', content: [own(REASONING)].map(value => ({ kind: 'opaque', value })) },
          {
            role: 'assistant',
            content: [{ kind: 'text', text: 'First,', extra: own({ phase: 'commentary' }) }, call, { kind: 'text', text: '' }],
          },
          {
            role: 'tool',
            results: [{ id: 'call_1', tool: 'x', outcome: 'executed', result: { content: [{ type: 'text', text: 'ok' }] } }],
          },
          ASKED,
        ],
      })
    )['input'] as readonly JsonObject[]
    expect(input).toEqual([
      REASONING,
      { type: 'message', role: 'assistant', content: 'First,', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_1', name: expect.stringMatching(/^shop_orders_find_\w{8}$/), arguments: ' {"id" :"1"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
      { type: 'message', role: 'user', content: 'Hello.' },
    ])
  })

  it('by other providers, or at other servers, is sent without what is theirs', async () => {
    const thinking = { anthropic: { type: 'thinking', thinking: 'Hm.', signature: 'abc' } }
    expect(
      await inputOf([
        { kind: 'opaque', value: thinking },
        { kind: 'opaque', value: own(REASONING, 'other.example.com') },
        { kind: 'opaque', value: { 'openai-chat': { host: '127.0.0.1', part: { reasoning_content: 'Hm.' } } } },
        { kind: 'provider-tool', name: 'search', id: 's', input: { query: 'q' }, extra: { anthropic: {} } },
        { kind: 'text', text: 'Yes.', extra: { anthropic: { citations: [] } } },
        { kind: 'call', id: 'call_1', name: 'refund', arguments: '{}', extra: { anthropic: { caller: 'x' } } },
      ]),
    ).toEqual([
      { type: 'message', role: 'assistant', content: 'Yes.' },
      { type: 'function_call', call_id: 'call_1', name: 'refund', arguments: '{}' },
    ])
  })

  it('leaves out reasoning that is only a name for what nobody stored', async () => {
    const shown = { id: 'rs_3', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
    expect(
      await inputOf([
        { kind: 'opaque', value: own({ id: 'rs_2', type: 'reasoning', encrypted_content: null, summary: [] }) },
        { kind: 'opaque', value: own(shown) },
      ]),
    ).toEqual([shown])
  })

  it('by a tool of the provider is sent as the item that it was', async () => {
    expect(
      await inputOf([
        {
          ...{ kind: 'provider-tool', name: 'search', id: 'ws_1', extra: own({ type: 'web_search_call' }) },
          input: { action: { type: 'search', query: '[masked]' } },
          result: { status: 'completed' },
        },
      ]),
    ).toEqual([{ id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: '[masked]' }, status: 'completed' }])
  })
})

describe('a result', () => {
  const outputOf = async (result: ToolResult): Promise<Json | undefined> => {
    const messages: Message[] = [ASKED, { role: 'tool', results: [{ id: 'call_1', tool: 'x', outcome: 'executed', result }] }]
    return ((await sent({ messages }))['input'] as readonly JsonObject[])[1]?.['output']
  }

  it('that is an error says so', async () => {
    expect(await outputOf({ content: [{ type: 'text', text: 'gone' }], isError: true })).toBe('Error: gone')
  })

  it('shows pictures, and names what cannot be shown', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'aGk=' }
    const sound = { type: 'audio', mimeType: 'audio/wav', data: 'aGk=' }
    const shown = { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' }
    const named = { type: 'input_text', text: expect.stringContaining('audio/wav') }
    expect(await outputOf({ content: [{ type: 'text', text: 'Look:' }, image, sound] })).toEqual([
      { type: 'input_text', text: 'Look:' },
      shown,
      named,
    ])
    expect(await outputOf({ content: [image], isError: true })).toEqual([{ type: 'input_text', text: 'Error:' }, shown])
    expect(await outputOf({ content: [{ ...image, mimeType: 'image/tiff' }] })).toMatch(/image\/tiff/)
  })
})

describe('tools', () => {
  const toolOf = async (inputSchema: JsonObject | boolean) => {
    const { tools } = await sent({ tools: [{ name: 'refund', description: 'Refunds.', inputSchema }] })
    return (tools as readonly JsonObject[])[0]
  }

  it('are strict only where their schema is: the default of the API is another one', async () => {
    const properties = { id: { type: 'string' }, note: { type: 'string' } }
    const schema = { type: 'object', properties, required: ['id', 'note'], additionalProperties: false }
    expect(await toolOf(schema)).toMatchObject({ parameters: schema, strict: true })
    expect(await toolOf({ ...schema, required: ['id'] })).toMatchObject({ parameters: { ...schema, required: ['id'] }, strict: false })
  })

  it('have an object as schema, whatever they say of it', async () => {
    for (const schema of [{}, true, false])
      expect(await toolOf(schema)).toMatchObject({ parameters: { type: 'object', properties: {} }, strict: false })
  })

  it('tell in words what may not stand at the top of a schema', async () => {
    const anyOf = [{ required: ['id'] }, { required: ['name'] }]
    const tool = await toolOf({ type: 'object', properties: { id: {} }, anyOf })
    expect(tool).toMatchObject({ parameters: { type: 'object', properties: { id: {} } }, strict: false })
    expect(tool?.['parameters']).not.toHaveProperty('anyOf')
    expect(tool?.['description']).toContain(JSON.stringify({ anyOf }))
  })

  it('are called one by one where the turn says so, by the switch of the API', async () => {
    expect(await sent({ callsPerRound: 1 })).toMatchObject({ parallel_tool_calls: false })
    expect(await sent({ callsPerRound: 2 })).not.toHaveProperty('parallel_tool_calls')
    const without = await sent({ callsPerRound: 1, tools: [] })
    expect(without).not.toHaveProperty('parallel_tool_calls')
    expect(without).not.toHaveProperty('tools')
  })

  const providerTools = { search: { type: 'web_search', search_context_size: 'low' }, code: { type: 'code_interpreter' } }

  it('of the provider are sent where the turn lists them', async () => {
    const listed = await sent({ providerTools: [{ name: 'search', replayPolicy: 'read-only' }], tools: [] }, { providerTools })
    expect(listed['tools']).toEqual([providerTools.search])
    expect(await sent({ tools: [] }, { providerTools })).not.toHaveProperty('tools')
  })

  it('of the provider without a definition keep the request from being sent', async () => {
    await using wire = await openWire()
    const model = openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody', providerTools })
    const request: ModelRequest = { ...REQUEST, providerTools: [{ name: 'maps', replayPolicy: 'read-only' }] }
    expect(await failureOf(model.ask(request, askContext()))).toMatchObject({ code: 'model_request_rejected', final: true })
    expect(wire.asked).toEqual([])
  })
})

describe('output of a schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false }

  it('is held by the API, strictly where it can, beside what else is said of text', async () => {
    const format = { type: 'json_schema', name: 'output', schema, strict: true }
    const body = await sent({ output: { schema, mode: 'enforced' } }, { body: { text: { verbosity: 'low' } } })
    expect(body['text']).toEqual({ verbosity: 'low', format })
    const open = { type: 'object', properties: { n: { type: 'integer' } } }
    expect(await sent({ output: { schema: open, mode: 'enforced' } })).toMatchObject({ text: { format: { schema: open, strict: false } } })
    expect(await sent({ output: { schema, mode: 'prompted' } })).not.toHaveProperty('text')
  })

  it('that is no object is not sent: the API holds no other', async () => {
    for (const other of [{ type: 'array' }, {}, true])
      expect(await failureOf(sent({ output: { schema: other, mode: 'enforced' } }))).toMatchObject({
        code: 'model_request_rejected',
        message: expect.stringContaining('enforcedOutput: false'),
      })
  })
})

describe('the request', () => {
  it('stores nothing, asks for what models think where they think, and holds what else the host wishes', async () => {
    const body = await sent({}, { body: { reasoning: { effort: 'low' }, include: ['web_search_call.action.sources'] } })
    expect(body).toMatchObject({ store: false, reasoning: { effort: 'low' }, instructions: REQUEST.system })
    expect(body['include']).toEqual(['web_search_call.action.sources', 'reasoning.encrypted_content'])
    expect(await sent({}, {}, 'gpt-4.1-mini')).not.toHaveProperty('include')
    expect(await sent({}, { encryptedReasoning: false })).not.toHaveProperty('include')
    expect(await sent({}, { encryptedReasoning: true }, 'gpt-4o')).toHaveProperty('include')
  })

  it('has twice the room after each truncated round, where it has a bound', async () => {
    expect(await sent({ truncations: 0 }, { maxOutputTokens: 100 })).toMatchObject({ max_output_tokens: 100 })
    expect(await sent({ truncations: 3 }, { maxOutputTokens: 100 })).toMatchObject({ max_output_tokens: 800 })
    expect(await sent({ truncations: 99 }, { maxOutputTokens: 100 })).toMatchObject({ max_output_tokens: 1_048_576 })
    expect(await sent({ truncations: 3 })).not.toHaveProperty('max_output_tokens')
  })
})
