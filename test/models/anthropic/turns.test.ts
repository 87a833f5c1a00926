// Goal: what Anthropic signs, defers or pauses goes back to it as it came, in whole turns, also over a restart.

import { describe, expect, it } from 'vitest'
import type { HostOptions } from '../../../adapters/host.ts'
import { anthropic, type AnthropicOptions } from '../../../adapters/models/anthropic.ts'
import { createRuntime, memory } from '../../../index.ts'
import type { JsonObject } from '../../../machines/json.ts'
import { memoryDatabase } from '../../../store/memory.ts'
import { expectGolden } from '../../golden/compare.ts'
import { ANA, bodiesOf, OPTIONS } from '../scenes.ts'
import { openWire, type Wire } from '../wire.ts'
import { messageOf, streamOf } from './blocks.ts'

const GOLDEN = new URL('../golden/anthropic/', import.meta.url)
/** As base64 of a provider may be, and with what JSON and other encodings like to change. */
const SIGNATURE = 'Er8B+/Zg==\u2028\\u00e9"<>&é\t/'
const THINKING = { type: 'thinking', thinking: 'She wants\nher money.  ', signature: SIGNATURE }
const REDACTED = { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a==' }
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'refunds' }, caller: { type: 'direct' } }
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', title: 'Refunds', url: 'https://shop.example.com', encrypted_content: 'EqgfCio=', page_age: null },
  ],
  caller: { type: 'direct' },
}
const CITED = {
  type: 'text',
  text: 'Within 30 days.',
  citations: [
    { type: 'web_search_result_location', url: 'https://shop.example.com', title: 'Refunds', encrypted_index: 'Eo8=', cited_text: '30' },
  ],
}
const say = (text: string) => ({ type: 'text', text })
const use = (name: string) => ({ type: 'tool_use', id: 'toolu_1', name, input: { id: '42' }, caller: { type: 'direct' } })

const SEARCHES: HostOptions = { ...OPTIONS, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }
const providerTools = { search: { type: 'web_search_20250305', name: 'web_search', max_uses: 3 } }

function modelOn(wire: Wire, options: AnthropicOptions = {}) {
  return anthropic('claude-test', { baseURL: wire.url, apiKey: 'key-of-nobody', ...options })
}

/** The messages of the nth request. */
function sent(wire: Wire, nth: number): readonly { readonly role: string; readonly content: readonly JsonObject[] }[] {
  return (JSON.parse(wire.asked[nth]?.body ?? '') as { messages: { role: string; content: JsonObject[] }[] }).messages
}

const bothWays = [
  { way: 'streamed', stream: true, of: streamOf },
  { way: 'whole', stream: false, of: messageOf },
]

describe.each(bothWays)('$way', ({ stream, of }) => {
  it('thinking goes back byte for byte, also from a process that never heard it', async () => {
    await using wire = await openWire()
    wire.answer(of([THINKING, REDACTED, say('I will refund it.'), use('refund')], 'tool_use'), of([say('Done.')], 'end_turn'))
    const database = memoryDatabase()
    const start = () =>
      createRuntime({
        ...OPTIONS,
        store: memory(database),
        model: modelOn(wire, { stream, thinking: { type: 'enabled', budget_tokens: 2_000 } }),
      })
    const first = await start()
    const turn = await first.spawn({ input: 'Please refund order 42.', principal: ANA })
    await turn.result()
    await first.close()
    const second = await start()
    const { approvals } = await second.approvals()
    await second.approve(approvals[0]?.approvalId ?? '', { as: ANA, via: 'app' })
    expect(await second.result(turn.id)).toMatchObject({ state: 'completed' })
    expect(await second.replay(turn.id)).toMatchObject({ executions: 0, modelCalls: 0, same: true })
    await second.close()
    expect(sent(wire, 1)[1]?.content).toEqual([THINKING, REDACTED, say('I will refund it.'), { ...use('refund'), id: 'call_1' }])
    expect(wire.asked[1]?.body).toContain(JSON.stringify(SIGNATURE))
    if (stream) expectGolden(new URL('thinking-over-a-restart.json', GOLDEN), bodiesOf(wire))
  })

  it('a paused round is sent again unchanged, and goes on as one message', async () => {
    await using wire = await openWire()
    const container = { id: 'container_1', expires_at: '2999-01-01T00:00:00Z', skills: null }
    wire.answer(
      of([say('Let me look.'), SEARCH], 'pause_turn', { container }),
      of([FOUND, CITED, use('find_order')], 'tool_use'),
      of([say('Done.')], 'end_turn'),
    )
    const runtime = await createRuntime({ ...SEARCHES, model: modelOn(wire, { stream, providerTools }) })
    const turn = await runtime.spawn({ input: 'May I have my money back?', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'completed' })
    expect(await runtime.replay(turn.id)).toMatchObject({ state: 'completed', executions: 0, modelCalls: 0, same: true })
    await runtime.close()
    expect(sent(wire, 1).at(-1)).toEqual({ role: 'assistant', content: [say('Let me look.'), SEARCH] })
    expect(sent(wire, 2).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(sent(wire, 2)[1]?.content).toEqual([say('Let me look.'), SEARCH, FOUND, CITED, { ...use('find_order'), id: 'call_1' }])
    expect(wire.asked.map(({ body }) => (JSON.parse(body) as JsonObject)['container'])).toEqual([undefined, 'container_1', 'container_1'])
    if (stream) expectGolden(new URL('paused-then-whole.json', GOLDEN), bodiesOf(wire))
  })

  it("a provider's tool that was put off for a call is answered a round later", async () => {
    await using wire = await openWire()
    wire.answer(of([SEARCH, use('find_order')], 'tool_use'), of([FOUND, CITED], 'end_turn'), of([say('Bye.')], 'end_turn'))
    const runtime = await createRuntime({ ...SEARCHES, model: modelOn(wire, { stream, providerTools }) })
    const turn = await runtime.spawn({ input: 'Is order 42 still in time?', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'completed', output: { text: 'Within 30 days.' } })
    const [, assistant, results, ...more] = sent(wire, 1)
    expect(assistant?.content).toEqual([SEARCH, { ...use('find_order'), id: 'call_1' }])
    expect(results?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'call_1' }])
    expect(more).toEqual([])
    const next = await runtime.spawn({ input: 'Thanks.', principal: ANA, follows: turn.id })
    await next.result()
    expect(sent(wire, 2).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(sent(wire, 2)[3]?.content).toEqual([FOUND, CITED])
    for await (const event of next.events()) if (event.type === 'turn.opened') expect(event.data.contentTrust).toBe('untrusted')
    await runtime.close()
    if (stream) expectGolden(new URL('deferred-provider-tool.json', GOLDEN), bodiesOf(wire))
  })
})

describe('tools that the provider runs', () => {
  const turnOf = async (wire: Wire, host: HostOptions, options: AnthropicOptions) => {
    const runtime = await createRuntime({ ...host, model: modelOn(wire, options) })
    const turn = await runtime.spawn({ input: 'Search.', principal: ANA, limits: { modelTries: 1 } })
    const result = await turn.result()
    await runtime.close()
    return result
  }

  it('are sent only where the turn lists them', async () => {
    await using wire = await openWire()
    wire.answer(messageOf([say('No.')], 'end_turn'), messageOf([say('No.')], 'end_turn'))
    await turnOf(wire, OPTIONS, { stream: false, providerTools })
    await turnOf(wire, SEARCHES, { stream: false, providerTools })
    const [without = '', listed = ''] = wire.asked.map(({ body }) => body)
    expect(without).not.toContain('web_search')
    expect((JSON.parse(listed) as { tools: JsonObject[] }).tools.at(-1)).toEqual(providerTools.search)
  })

  it('are refused before anything is sent where the model has no definition of them', async () => {
    await using wire = await openWire()
    expect(await turnOf(wire, SEARCHES, { providerTools: {} })).toMatchObject({ state: 'failed', code: 'model_request_rejected' })
    expect(wire.asked).toEqual([])
  })

  it('fail the round where they ran unasked', async () => {
    await using wire = await openWire()
    wire.answer(messageOf([SEARCH, FOUND, say('Found.')], 'end_turn'))
    expect(await turnOf(wire, OPTIONS, { stream: false, providerTools })).toMatchObject({
      state: 'failed',
      code: 'model_protocol_violation',
    })
  })

  it.each(['mcp_tool_use', 'mcp_tool_result', 'a2a_call'])('fail the round where they are of another server: %s', async type => {
    await using wire = await openWire()
    wire.answer(messageOf([{ type, id: 'x', name: 'search', input: {} }], 'end_turn'))
    expect(await turnOf(wire, SEARCHES, { stream: false, providerTools })).toMatchObject({
      state: 'failed',
      code: 'model_protocol_violation',
    })
  })
})
