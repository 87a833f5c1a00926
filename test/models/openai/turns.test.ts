// Goal: what OpenAI and servers like it keep for themselves goes back as it came, in whole turns, also over a restart; and a turn
// whose model says what must not be ends without anything run.

import { describe, expect, it } from 'vitest'
import { createRuntime, type HostOptions } from '../../../adapters/host.ts'
import { openai, openaiChat } from '../../../adapters/models/openai.ts'
import { scripted } from '../../../adapters/models/scripted.ts'
import { memory } from '../../../index.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { Model } from '../../../machines/ports/model.ts'
import { memoryDatabase } from '../../../store/memory.ts'
import { expectGolden } from '../../golden/compare.ts'
import { ANA, bodiesOf, OPTIONS, ran } from '../scenes.ts'
import { openWire, type Answer, type Wire } from '../wire.ts'
import { authoredBody, authoredStream, authoredWhole } from './authored.ts'
import { chatDriver, toolCall } from './chat-driver.ts'
import { functionCall, message, response, responsesDriver, whole } from './responses-driver.ts'

const GOLDEN = new URL('../golden/', import.meta.url)
const DONE = { text: 'Done.', stop: 'end' } as const

type Mode = { readonly way: string; readonly stream: boolean; readonly of: (name: string) => Answer }

const bothWays: readonly Mode[] = [
  { way: 'streamed', stream: true, of: authoredStream },
  { way: 'whole', stream: false, of: authoredWhole },
]

/** A turn that is held, whose process goes, and that another process brings to its end. */
async function overRestart(wire: Wire, model: Model) {
  const database = memoryDatabase()
  const start = () => createRuntime({ ...OPTIONS, store: memory(database), model })
  const first = await start()
  const turn = await first.spawn({ input: 'Please refund order 42.', principal: ANA })
  await turn.result()
  await first.close()
  const second = await start()
  const { approvals } = await second.approvals()
  await second.approve(approvals[0]?.approvalId ?? '', { as: ANA, via: 'app' })
  const result = await second.result(turn.id)
  const replayed = await second.replay(turn.id)
  const anomalies: string[] = []
  for await (const event of second.events(turn.id)) if (event.type === 'round.recorded') anomalies.push(...event.data.anomalies)
  await second.close()
  expect(result).toMatchObject({ state: 'completed', output: { text: 'Done.' } })
  expect(replayed).toMatchObject({ executions: 0, modelCalls: 0, same: true })
  expect(anomalies).toEqual([])
  return JSON.parse(wire.asked[1]?.body ?? '') as { input: readonly JsonObject[]; messages: readonly JsonObject[] }
}

describe.each(bothWays)('over a restart, $way,', ({ stream, of }) => {
  it('reasoning goes back byte for byte, with the phase of what was said behind it', async () => {
    await using wire = await openWire()
    wire.answer(of('openai/reasoning-and-two-calls'), stream ? responsesDriver.streamed(DONE) : responsesDriver.whole(DONE))
    const { input } = await overRestart(wire, openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody', stream }))
    const [reasoning] = authoredBody('openai/reasoning-and-two-calls')['output'] as readonly JsonObject[]
    expect(input[1]).toEqual(reasoning)
    expect(wire.asked[1]?.body).toContain(JSON.stringify(reasoning?.['encrypted_content']))
    expect(input.slice(2)).toMatchObject([
      { type: 'message', role: 'assistant', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_1', arguments: '{"id": "42"}' },
      { type: 'function_call', call_id: 'call_2', arguments: '{"id":"42"}' },
      { type: 'function_call_output', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_2', output: 'refunded 42' },
    ])
    if (stream) expectGolden(new URL('openai/reasoning-over-a-restart.json', GOLDEN), bodiesOf(wire))
  })

  it('what a compatible server thought goes back with the call', async () => {
    await using wire = await openWire()
    wire.answer(of('openai-chat/reasoning-text'), stream ? chatDriver.streamed(DONE) : chatDriver.whole(DONE))
    const { messages } = await overRestart(wire, openaiChat('test-model', { baseURL: wire.url, stream }))
    expect(messages.slice(2)).toEqual([
      {
        ...{ role: 'assistant', content: null, reasoning_content: 'She wants\nher money.  ' },
        tool_calls: [toolCall('call_1', 'refund', '{"id": "42"}')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'refunded 42' },
    ])
    if (stream) expectGolden(new URL('openai-chat/reasoning-over-a-restart.json', GOLDEN), bodiesOf(wire))
  })

  it('blocks of reasoning, and what is signed in a call, go back as they came', async () => {
    await using wire = await openWire()
    wire.answer(of('openai-chat/reasoning-blocks'), stream ? chatDriver.streamed(DONE) : chatDriver.whole(DONE))
    const runtime = await createRuntime({ ...OPTIONS, model: openaiChat('test-model', { baseURL: wire.url, stream }) })
    await (await runtime.spawn({ input: 'Please refund order 42.', principal: ANA })).result()
    await runtime.close()
    const [choice] = authoredBody('openai-chat/reasoning-blocks')['choices'] as readonly { readonly message: JsonObject }[]
    const { refusal: _, tool_calls, ...said } = choice?.message ?? {}
    const [signed] = tool_calls as readonly JsonObject[]
    const { messages } = JSON.parse(wire.asked[1]?.body ?? '') as { readonly messages: readonly JsonObject[] }
    expect(messages[2]).toEqual({ ...said, tool_calls: [{ ...signed, id: 'call_1' }] })
  })
})

const SEARCHES: HostOptions = { ...OPTIONS, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }
const providerTools = { search: { type: 'web_search' } }

describe('tools of the provider', () => {
  it('are recorded, make the turn untrusted, and are sent again as they were', async () => {
    await using wire = await openWire()
    wire.answer(authoredStream('openai/web-search'), responsesDriver.streamed(DONE))
    const model = openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody', providerTools })
    const runtime = await createRuntime({ ...SEARCHES, model })
    const turn = await runtime.spawn({ input: 'May I have my money back?', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'completed', output: { text: 'Within 30 days.' } })
    const next = await runtime.spawn({ input: 'Thanks.', principal: ANA, follows: turn.id })
    await next.result()
    for await (const event of next.events()) if (event.type === 'turn.opened') expect(event.data.contentTrust).toBe('untrusted')
    await runtime.close()
    const [reasoning, search, said] = authoredBody('openai/web-search')['output'] as readonly JsonObject[]
    const { input, tools } = JSON.parse(wire.asked[1]?.body ?? '') as { readonly [field: string]: readonly JsonObject[] }
    expect(tools?.at(-1)).toEqual(providerTools.search)
    expect(input?.slice(1, 4)).toEqual([
      reasoning,
      search,
      { type: 'message', role: 'assistant', content: 'Within 30 days.', phase: said?.['phase'] },
    ])
    expectGolden(new URL('openai/provider-tool-then-next-turn.json', GOLDEN), bodiesOf(wire))
  })

  it.each([
    ['that were handed on to other servers', { id: 'mcp_1', type: 'mcp_call', name: 'refund', arguments: '{"id":"42"}', output: 'done' }],
    ['that nobody listed', { id: 'ws_1', type: 'web_search_call', status: 'completed', action: {} }],
    ['of a kind that nobody offered', { id: 'ct_1', type: 'custom_tool_call', call_id: 'c', name: 'refund', input: '{"id":"42"}' }],
  ])('%s fail the turn, and nothing beside them runs', async (_, item) => {
    await using wire = await openWire()
    ran.length = 0
    wire.answer(whole(response([message('So.'), functionCall('c1', 'find_order', '{"id":"42"}'), item])))
    const runtime = await createRuntime({
      ...OPTIONS,
      model: openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody', stream: false }),
    })
    const turn = await runtime.spawn({ input: 'Please refund order 42.', principal: ANA })
    expect(await turn.result()).toMatchObject({ state: 'failed', code: 'model_protocol_violation' })
    await runtime.close()
    expect(ran).toEqual([])
    expect(wire.asked).toHaveLength(1)
  })
})

it('a turn that follows one of another model sends what was said and done, and nothing that only the other one reads', async () => {
  await using wire = await openWire()
  const database = memoryDatabase()
  const other = scripted([
    { stop: 'tool_calls', content: [{ opaque: { thinking: 'Hm.' } }, { call: { id: 'x', name: 'find_order', arguments: '{"id":"42"}' } }] },
    { stop: 'end', content: [{ text: 'It is paid.' }] },
  ])
  const first = await createRuntime({ ...OPTIONS, store: memory(database), model: other })
  const turn = await first.spawn({ input: 'Is order 42 paid?', principal: ANA })
  await turn.result()
  await first.close()
  wire.answer(responsesDriver.streamed(DONE), chatDriver.streamed(DONE))
  for (const model of [openai('gpt-5', { baseURL: wire.url, apiKey: 'key-of-nobody' }), openaiChat('test-model', { baseURL: wire.url })]) {
    const runtime = await createRuntime({ ...OPTIONS, store: memory(database), model })
    await (await runtime.spawn({ input: 'Thanks.', principal: ANA, follows: turn.id })).result()
    await runtime.close()
  }
  const [{ input } = {}, { messages } = {}] = wire.asked.map(
    ({ body }) => JSON.parse(body) as { input?: JsonObject[]; messages?: JsonObject[] },
  )
  expect(input?.map(item => item['type'])).toEqual(['message', 'function_call', 'function_call_output', 'message', 'message'])
  expect(messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  expect(JSON.stringify([input, messages])).not.toContain('Hm.')
})
