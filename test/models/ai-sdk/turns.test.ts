// Goal: what a provider signs, defers or pauses goes back to it as it came, in whole turns, also over a restart; and no function of a
// tool ever reaches a provider's package.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { tool as agentsTool } from '@openai/agents'
import { tool as aiTool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HostOptions } from '../../../adapters/host.ts'
import { aiSdk, fromAiSdk, type AiSdkOptions } from '../../../adapters/models/ai-sdk.ts'
import { fromOpenAiAgents } from '../../../adapters/tools/openai-agents.ts'
import { createRuntime, memory } from '../../../index.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { Model } from '../../../machines/ports/model.ts'
import { memoryDatabase } from '../../../store/memory.ts'
import { expectGolden } from '../../golden/compare.ts'
import { messageOf, streamOf } from '../anthropic/blocks.ts'
import { authoredBody, authoredStream, authoredWhole } from '../openai/authored.ts'
import { responsesDriver } from '../openai/responses-driver.ts'
import { ANA, bodiesOf, OPTIONS, ran } from '../scenes.ts'
import { openWire, type Wire } from '../wire.ts'
import { fakeModel, finish } from './fake.ts'

const GOLDEN = new URL('../golden/ai-sdk/', import.meta.url)
/** As base64 of a provider may be, and with what JSON and other encodings like to change. */
const SIGNATURE = 'Er8B+/Zg==\u2028\\u00e9"<>&é\t/'
const THINKING = { type: 'thinking', thinking: 'She wants\nher money.  ', signature: SIGNATURE }
const REDACTED = { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a==' }
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'refunds' } }
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', title: 'Refunds', url: 'https://shop.example.com', encrypted_content: 'EqgfCio=', page_age: null },
  ],
}
const say = (text: string) => ({ type: 'text', text })
const use = (name: string) => ({ type: 'tool_use', id: 'toolu_1', name, input: { id: '42' } })

const SEARCHES: HostOptions = { ...OPTIONS, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }

function anthropicOn(wire: Wire, options: AiSdkOptions = {}): Model {
  return aiSdk(createAnthropic({ baseURL: wire.url, apiKey: 'key-of-nobody' })('claude-test'), options)
}

function sent(wire: Wire, nth: number): readonly { readonly role: string; readonly content: readonly JsonObject[] }[] {
  return (JSON.parse(wire.asked[nth]?.body ?? '') as { messages: { role: string; content: JsonObject[] }[] }).messages
}

/** A turn that is held, whose process goes, and that another process brings to its end. */
async function overRestart(model: () => Model): Promise<void> {
  const database = memoryDatabase()
  const start = () => createRuntime({ ...OPTIONS, store: memory(database), model: model() })
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
}

describe.each([
  { way: 'streamed', stream: true, of: streamOf, authored: authoredStream },
  { way: 'whole', stream: false, of: messageOf, authored: authoredWhole },
])('$way', ({ stream, of, authored }) => {
  it('thinking goes back byte for byte, also from a process that never heard it', async () => {
    await using wire = await openWire()
    wire.answer(of([THINKING, REDACTED, say('I will refund it.'), use('refund')], 'tool_use'), of([say('Done.')], 'end_turn'))
    await overRestart(() =>
      anthropicOn(wire, { stream, providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } } }),
    )
    expect(sent(wire, 1)[1]?.content).toEqual([THINKING, REDACTED, say('I will refund it.'), { ...use('refund'), id: 'call_1' }])
    expect(wire.asked[1]?.body).toContain(JSON.stringify(SIGNATURE))
    if (stream) expectGolden(new URL('anthropic/thinking-over-a-restart.json', GOLDEN), bodiesOf(wire))
  })

  it('reasoning that is encrypted goes back byte for byte', async () => {
    await using wire = await openWire()
    const done = { text: 'Done.', stop: 'end' } as const
    wire.answer(authored('openai/reasoning-and-two-calls'), stream ? responsesDriver.streamed(done) : responsesDriver.whole(done))
    await overRestart(() => aiSdk(createOpenAI({ baseURL: wire.url, apiKey: 'key-of-nobody' })('gpt-5'), { stream }))
    const [reasoning] = authoredBody('openai/reasoning-and-two-calls')['output'] as readonly JsonObject[]
    const { input, store } = JSON.parse(wire.asked[1]?.body ?? '') as { input: readonly JsonObject[]; store: boolean }
    expect(store).toBe(false)
    expect(input.filter(item => item['type'] === 'reasoning')).toMatchObject([{ encrypted_content: reasoning?.['encrypted_content'] }])
    expect(input.filter(item => item['type'] === 'item_reference')).toEqual([])
    if (stream) expectGolden(new URL('openai/reasoning-over-a-restart.json', GOLDEN), bodiesOf(wire))
  })

  it('a paused round is sent again as it is, and goes on as one message', async () => {
    await using wire = await openWire()
    wire.answer(of([say('Let me look.'), SEARCH], 'pause_turn'), of([FOUND, say('Within 30 days.')], 'end_turn'))
    const providerTools = { search: createAnthropic().tools.webSearch_20250305({ maxUses: 3 }) }
    const runtime = await createRuntime({ ...SEARCHES, model: anthropicOn(wire, { stream, providerTools }) })
    const turn = await runtime.spawn({ input: 'May I have my money back?', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'completed', output: { text: 'Let me look.Within 30 days.' } })
    expect(await runtime.replay(turn.id)).toMatchObject({ executions: 0, modelCalls: 0, same: true })
    await runtime.close()
    expect(sent(wire, 1).at(-1)).toEqual({ role: 'assistant', content: [say('Let me look.'), SEARCH] })
    if (stream) expectGolden(new URL('anthropic/paused-then-whole.json', GOLDEN), bodiesOf(wire))
  })

  it("a provider's tool is recorded, makes the turn untrusted, and is sent again in the next turn", async () => {
    await using wire = await openWire()
    wire.answer(of([SEARCH, FOUND, say('Within 30 days.')], 'end_turn'), of([say('Bye.')], 'end_turn'))
    const providerTools = { search: createAnthropic().tools.webSearch_20250305({}) }
    const runtime = await createRuntime({ ...SEARCHES, model: anthropicOn(wire, { stream, providerTools }) })
    const turn = await runtime.spawn({ input: 'May I have my money back?', principal: ANA })
    await turn.result()
    const next = await runtime.spawn({ input: 'Thanks.', principal: ANA, follows: turn.id })
    await next.result()
    for await (const event of next.events()) if (event.type === 'turn.opened') expect(event.data.contentTrust).toBe('untrusted')
    await runtime.close()
    expect(sent(wire, 1)[1]?.content).toEqual([SEARCH, FOUND, say('Within 30 days.')])
    expect((JSON.parse(wire.asked[0]?.body ?? '') as { tools: JsonObject[] }).tools.at(-1)).toEqual({
      type: 'web_search_20250305',
      name: 'web_search',
    })
  })
})

describe('tools that the provider runs', () => {
  const resultOf = async (wire: Wire, host: HostOptions, options: AiSdkOptions) => {
    const runtime = await createRuntime({ ...host, model: anthropicOn(wire, options) })
    const turn = await runtime.spawn({ input: 'Search.', principal: ANA, limits: { modelTries: 1 } })
    const result = await turn.result()
    await runtime.close()
    return result
  }
  const providerTools = { search: createAnthropic().tools.webSearch_20250305({}) }

  it('are sent only where the turn lists them', async () => {
    await using wire = await openWire()
    wire.answer(streamOf([say('No.')], 'end_turn'))
    await resultOf(wire, OPTIONS, { providerTools })
    expect(wire.asked[0]?.body).not.toContain('web_search')
  })

  it('are refused before anything is sent where the model has no definition of them', async () => {
    await using wire = await openWire()
    expect(await resultOf(wire, SEARCHES, {})).toMatchObject({ state: 'failed', code: 'model_request_rejected' })
    expect(wire.asked).toEqual([])
  })

  it('fail the round where they ran unasked', async () => {
    await using wire = await openWire()
    wire.answer(streamOf([SEARCH, FOUND, say('Found.')], 'end_turn'))
    expect(await resultOf(wire, OPTIONS, { providerTools })).toMatchObject({ state: 'failed', code: 'model_protocol_violation' })
  })

  it.each([
    ['streamed', true, streamOf],
    ['whole', false, messageOf],
  ])('fail the round where they are of a tool server, %s', async (_, stream, of) => {
    await using wire = await openWire()
    const mcp = { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'search', server_name: 's', input: {} }
    wire.answer(of([mcp, say('Found.')], 'end_turn'))
    expect(await resultOf(wire, SEARCHES, { stream, providerTools })).toMatchObject({ state: 'failed', code: 'model_protocol_violation' })
  })
})

describe('a model that can run nothing', () => {
  /** Everything in a value that can be called, by its path; the signal is the platform's own. */
  function functionsIn(value: unknown, path = ''): readonly string[] {
    if (typeof value === 'function') return [path]
    if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return []
    return Reflect.ownKeys(value).flatMap(key => functionsIn(Reflect.get(value, key), `${path}.${String(key)}`))
  }

  it('is shown descriptions of tools alone, whatever SDK they were written for', async () => {
    const seen: LanguageModelV4CallOptions[] = []
    const call = (name: string) => [
      { type: 'tool-call', toolCallId: name, toolName: name, input: '{"id":"42"}' } as const,
      finish('tool-calls'),
    ]
    const model: LanguageModelV4 = fakeModel(
      [
        call('of_ai_sdk'),
        call('of_agents'),
        [{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'Done.' }, finish('stop')],
      ],
      options => void seen.push(options),
    )
    const parameters = z.object({ id: z.string() })
    const ofAiSdk = aiTool({
      description: 'Of the AI SDK.',
      inputSchema: parameters,
      execute: ({ id }) => `${ran.push('of_ai_sdk')} ${id}`,
    })
    const ofAgents = agentsTool({
      name: 'of_agents',
      description: 'Of the Agents SDK.',
      parameters,
      execute: ({ id }) => `${ran.push('of_agents')} ${id}`,
    })
    const replayPolicy = 'idempotent'
    const tools = [
      fromAiSdk('of_ai_sdk', ofAiSdk, { replayPolicy, approval: 'never' }),
      fromOpenAiAgents(ofAgents, { replayPolicy, approval: 'never' }),
    ]
    ran.length = 0
    const providerTools = { search: createOpenAI({ apiKey: 'k' }).tools.webSearch({}) }
    const runtime = await createRuntime({ ...SEARCHES, tools, model: aiSdk(model, { providerTools }) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'completed' })
    expect(await runtime.replay(turn.id)).toMatchObject({ executions: 0, modelCalls: 0, same: true })
    await runtime.close()
    expect(ran).toEqual(['of_ai_sdk', 'of_agents'])
    expect(seen).toHaveLength(3)
    expect(seen.flatMap(options => functionsIn(options))).toEqual([])
    expect(seen[0]?.tools?.map(tool => Object.keys(tool).toSorted())).toEqual([
      ['description', 'inputSchema', 'name', 'strict', 'type'],
      ['description', 'inputSchema', 'name', 'strict', 'type'],
      ['args', 'id', 'name', 'type'],
    ])
  })
})
