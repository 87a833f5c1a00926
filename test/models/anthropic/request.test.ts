// Goal: every part of the neutral request has its place in the body of a Messages request, and nothing of another provider does.

import { expect, it } from 'vitest'
import { anthropic, type AnthropicOptions } from '../../../adapters/models/anthropic.ts'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { Message, MessageItem, ModelRequest } from '../../../machines/ports/model.ts'
import type { ToolResult } from '../../../machines/tool.ts'
import { askContext, REQUEST } from '../asking.ts'
import { openWire } from '../wire.ts'
import { messageOf } from './blocks.ts'

type Body = { readonly messages: readonly { readonly role: string; readonly content: Json }[]; readonly [name: string]: unknown }

async function bodyOf(request: Partial<ModelRequest>, options: AnthropicOptions = {}): Promise<Body> {
  await using wire = await openWire()
  wire.answer(messageOf([{ type: 'text', text: 'Ok.' }], 'end_turn'))
  const model = anthropic('claude-test', { baseURL: wire.url, apiKey: 'key-of-nobody', stream: false, ...options })
  await model.ask({ ...REQUEST, ...request }, askContext())
  return JSON.parse(wire.asked[0]?.body ?? '') as Body
}

const user = (text: string): Message => ({ role: 'user', text })
const assistant = (...content: readonly MessageItem[]): Message => ({ role: 'assistant', content })
const call = (id: string, args: string, extra?: Json): MessageItem => ({
  ...{ kind: 'call', id, name: 'refund', arguments: args },
  ...(extra === undefined ? {} : { extra }),
})
const gave = (id: string, result: ToolResult): Message => ({ role: 'tool', results: [{ id, tool: 'refund', outcome: 'executed', result }] })
const text = (words: string) => ({ type: 'text', text: words })

const contentOf = async (result: ToolResult): Promise<unknown> => {
  const { messages } = await bodyOf({ messages: [user('Go.'), assistant(call('call_1', '{}')), gave('call_1', result)] })
  const blocks = messages.at(-1)?.content as readonly JsonObject[] | undefined
  return blocks?.[0]?.['content']
}

it('puts all instructions in the one place for them', async () => {
  const { system, messages } = await bodyOf({
    messages: [{ role: 'system', text: 'Be brief.' }, user('Go.'), { role: 'system', text: 'Be kind.' }],
  })
  expect(system).toBe('You work in a shop.\n\nBe brief.\n\nBe kind.')
  expect(messages).toEqual([{ role: 'user', content: [text('Go.')] }])
  expect(await bodyOf({ system: null })).not.toHaveProperty('system')
})

it('lets the roles take turns, results first', async () => {
  const results: Message = {
    role: 'tool',
    results: ['call_1', 'call_2'].map(id => ({ id, tool: 'refund', outcome: 'executed', result: { content: [text(id)] } })),
  }
  const { messages } = await bodyOf({
    messages: [
      user('A.'),
      user('B.'),
      assistant(call('call_1', '{}'), call('call_2', '{}')),
      results,
      user('C.'),
      assistant({ kind: 'text', text: 'D.' }),
    ],
  })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [text(id)] })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(messages[0]?.content).toEqual([text('A.'), text('B.')])
  expect(messages[2]?.content).toEqual([result('call_1'), result('call_2'), text('C.')])
})

it('leaves out texts that the API refuses, and keeps those that it does not', async () => {
  const said = (...texts: readonly string[]): Message => assistant(...texts.map(words => ({ kind: 'text', text: words }) as const))
  const { messages } = await bodyOf({
    messages: [user('A.'), said(''), user(' '), said(' '), user('B.'), said('One.', ' ', '', 'Two.'), user('C.')],
  })
  expect(messages).toEqual([
    { role: 'user', content: [text('A.'), text('B.')] },
    { role: 'assistant', content: [text('One.'), text(' '), text('Two.')] },
    { role: 'user', content: [text('C.')] },
  ])
})

it('keeps text, calls and text in their order', async () => {
  const said = assistant(
    { kind: 'text', text: 'One. ' },
    call('call_1', '{"id":"1"}'),
    { kind: 'text', text: ' Two.' },
    call('call_2', ' '),
  )
  const { messages } = await bodyOf({ messages: [user('Go.'), said] })
  const use = (id: string, input: Json) => ({ type: 'tool_use', id, name: 'refund', input })
  expect(messages[1]?.content).toEqual([text('One. '), use('call_1', { id: '1' }), text(' Two.'), use('call_2', {})])
})

it.each(['{"id":1', '[1]', '{"a":1,"a":2}', '{"id":12345678901234567890}', '{}{"id":"1"}'])(
  'shows arguments that no object holds as they were: %s',
  async args => {
    const { messages } = await bodyOf({ messages: [user('Go.'), assistant(call('call_1', args))] })
    expect(messages[1]?.content).toMatchObject([{ input: { INVALID_JSON: args } }])
  },
)

it('sends back nothing that another provider wants back', async () => {
  const foreign: Json = { openai: { id: 'rs_1', encrypted_content: 'x' } }
  const { messages } = await bodyOf({
    messages: [
      user('Go.'),
      assistant(
        { kind: 'opaque', value: foreign },
        { kind: 'text', text: 'Hm.', extra: foreign },
        { kind: 'provider-tool', name: 'search', id: 's', input: {}, extra: foreign },
        { kind: 'opaque', value: 'a text' },
        call('call_1', '{}', foreign),
      ),
    ],
  })
  expect(messages[1]?.content).toEqual([text('Hm.'), { type: 'tool_use', id: 'call_1', name: 'refund', input: {} }])
})

it('shows a result in the kinds of blocks that the API has', async () => {
  const data = Buffer.from('data').toString('base64')
  expect(
    await contentOf({
      content: [
        text('Words.'),
        text(''),
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'image', data, mimeType: 'image/tiff' },
        { type: 'audio', data, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'A.' } },
        { type: 'resource', resource: { uri: 'file:///b.pdf', blob: data, mimeType: 'application/pdf' } },
        { type: 'resource', resource: { uri: 'file:///c.bin', blob: data } },
        { type: 'resource_link', uri: 'file:///d.txt', name: 'd' },
      ],
    }),
  ).toEqual([
    text('Words.'),
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    text('[image, image/tiff, 4 bytes, cannot be shown here]'),
    text('[audio, audio/wav, 4 bytes, cannot be shown here]'),
    text('A.'),
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
    text('[file, file:///c.bin, application/octet-stream, 4 bytes, cannot be shown here]'),
    text('{"type":"resource_link","uri":"file:///d.txt","name":"d"}'),
  ])
})

it('shows a structured value once', async () => {
  const structuredContent = { b: 1, a: [2] }
  expect(await contentOf({ content: [text('Found.')], structuredContent })).toEqual([text('Found.'), text('{"b":1,"a":[2]}')])
  expect(await contentOf({ content: [text('{ "a": [2], "b": 1 }')], structuredContent })).toEqual([text('{ "a": [2], "b": 1 }')])
  expect(await contentOf({ content: [text('')] })).toBe(undefined)
})

it('gives every tool an object for its input, strict only where all of it can be held', async () => {
  const closed = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false }
  const schemas: readonly (JsonObject | boolean)[] = [closed, true, {}, { type: ['object', 'null'] }, { ...closed, required: [] }]
  const tools = schemas.map((inputSchema, nth) => ({ name: `tool_${nth}`, description: 'Does it.', inputSchema }))
  const sent = (body: Body) =>
    (body['tools'] as readonly JsonObject[]).map(tool => [(tool['input_schema'] as JsonObject)['type'], tool['strict']])
  const loose = ['object', undefined]
  expect(sent(await bodyOf({ tools }))).toEqual([['object', true], loose, loose, loose, loose])
  expect(sent(await bodyOf({ tools }, { strictTools: false }))).toEqual([loose, loose, loose, loose, loose])
})

it('sends no more strict tools than the API compiles together', async () => {
  const schema = (type: Json): JsonObject => ({ type: 'object', properties: { a: { type } }, required: ['a'], additionalProperties: false })
  const strict = async (count: number, type: Json) => {
    const tools = Array.from({ length: count }, (_, nth) => ({ name: `tool_${nth}`, description: 'Does it.', inputSchema: schema(type) }))
    return ((await bodyOf({ tools }))['tools'] as readonly JsonObject[]).filter(tool => tool['strict'] === true).length
  }
  expect(await strict(25, 'string')).toBe(20)
  expect(await strict(18, ['string', 'null'])).toBe(16)
})

it('asks for one call at a time by the switch of the API, where there are tools', async () => {
  expect((await bodyOf({ callsPerRound: 1 }))['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true })
  expect(await bodyOf({ callsPerRound: 1, tools: [] })).not.toHaveProperty('tool_choice')
  expect(await bodyOf({ callsPerRound: 2 })).not.toHaveProperty('tool_choice')
  expect(await bodyOf({ tools: [] })).not.toHaveProperty('tools')
})

it('doubles the room after each truncated round, and bounds it', async () => {
  const room = async (truncations: number) => (await bodyOf({ truncations }, { maxOutputTokens: 1_000 }))['max_tokens']
  expect([await room(0), await room(1), await room(3), await room(60)]).toEqual([1_000, 2_000, 8_000, 1_048_576])
  expect((await bodyOf({}))['max_tokens']).toBe(8_192)
})

it('asks for output of a schema only where the API holds it', async () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false } as const
  expect((await bodyOf({ output: { schema, mode: 'enforced' } }))['output_config']).toEqual({ format: { type: 'json_schema', schema } })
  expect(await bodyOf({ output: { schema, mode: 'prompted' } })).not.toHaveProperty('output_config')
  expect(await bodyOf({ output: { schema: true, mode: 'enforced' } })).not.toHaveProperty('output_config')
})

it('passes thinking on', async () => {
  expect((await bodyOf({}, { thinking: { type: 'adaptive' } }))['thinking']).toEqual({ type: 'adaptive' })
  expect(await bodyOf({})).not.toHaveProperty('thinking')
})

it('names a container while the answer goes on, and neither later nor when its time is over', async () => {
  const kept = (expires: Json): MessageItem => ({ kind: 'opaque', value: { anthropic: { container: { id: 'container_1', expires } } } })
  const named = async (...messages: readonly Message[]) => (await bodyOf({ messages: [user('Go.'), ...messages] }))['container']
  expect(await named(assistant(kept('2999-01-01T00:00:00Z')))).toBe('container_1')
  expect(await named(assistant(kept(null)))).toBe('container_1')
  expect(await named(assistant(kept('2001-01-01T00:00:00Z')))).toBe(undefined)
  expect(await named(assistant(kept(null)), user('And now?'))).toBe(undefined)
})

it('lets the user speak first, also where nobody did', async () => {
  const before = { role: 'user', content: [text('(Nothing was said before this.)')] }
  const { messages } = await bodyOf({ messages: [assistant({ kind: 'text', text: 'Hello.' }), user('Go.')] })
  expect(messages).toEqual([before, { role: 'assistant', content: [text('Hello.')] }, { role: 'user', content: [text('Go.')] }])
  expect((await bodyOf({ messages: [user(' ')] })).messages).toEqual([before])
})

it('ends in no space where the model is to go on with what was said', async () => {
  const said = assistant({ kind: 'text', text: 'The order ' }, { kind: 'text', text: 'is \n' }, { kind: 'text', text: ' ' })
  const { messages } = await bodyOf({ messages: [user('Go.'), said] })
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: [text('The order '), text('is')] })
  const before = await bodyOf({ messages: [user('Go.'), said, user('And?')] })
  expect(before.messages.at(1)?.content).toEqual([text('The order '), text('is \n'), text(' ')])
})

it('tells an error in words alone, as the API wants it', async () => {
  const picture = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
  expect(await contentOf({ isError: true, content: [text('No.'), picture] })).toEqual([
    text('No.'),
    text('[image, image/png, 2 bytes, cannot be shown here]'),
  ])
})

it("sends no half of a provider's tool: where the part of one was not kept, the other stays behind too", async () => {
  const part = (type: string): Json => ({ anthropic: { type, name: 'web_search' } })
  const used = (id: string, extra?: Json): MessageItem => ({
    ...{ kind: 'provider-tool', name: 'web_search', id, input: {} },
    ...(extra === undefined ? {} : { extra }),
  })
  const result = (id: string): MessageItem => ({
    ...{ kind: 'provider-tool', name: 'web_search', id, result: [], extra: { anthropic: { type: 'web_search_tool_result' } } },
  })
  const said = assistant(used('s1'), result('s1'), used('s2', part('server_tool_use')), result('s2'))
  const { messages } = await bodyOf({ messages: [user('Go.'), said, user('And?')] })
  const ids = ((messages[1]?.content ?? []) as readonly JsonObject[]).map(block => block['id'] ?? block['tool_use_id'])
  expect(ids).toEqual(['s2', 's2'])
})

it('sends no two tools of one name', async () => {
  const providerTools = { search: { type: 'web_search_20250305', name: 'refund' } }
  const listed = [{ name: 'search', replayPolicy: 'read-only' as const }]
  await expect(bodyOf({ providerTools: listed }, { providerTools })).rejects.toMatchObject({ code: 'model_request_rejected', final: true })
})
