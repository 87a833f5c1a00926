// Goal: a function tool of the OpenAI Agents SDK runs as it is, by this runtime alone, held and recorded like any other.

import { codeInterpreterTool, hostedMcpTool, tool as agentsTool, webSearchTool } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fromOpenAiAgents, type AgentsTool } from '../../adapters/tools/openai-agents.ts'
import type { CallContext } from '../../machines/tool.ts'
import { wrong } from '../door/given.ts'
import { callOnce, refusal } from './turn.ts'

const READ = { replayPolicy: 'read-only' } as const
const ABOUT = { name: 'find_order', description: 'Finds one order by its id.', parameters: z.object({ id: z.string() }) } as const

const findOrder = agentsTool({ ...ABOUT, execute: ({ id }) => ({ id, paid: 24 }) })

describe('what the model is shown', () => {
  it('is name, description and schema', () => {
    expect(fromOpenAiAgents(findOrder, READ).descriptor).toMatchObject({
      name: 'find_order',
      description: 'Finds one order by its id.',
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
      replayPolicy: 'read-only',
      contentTrust: 'untrusted',
    })
  })

  it('has the words of the host, where it gives some', () => {
    expect(fromOpenAiAgents(findOrder, { ...READ, description: 'Ours.' }).descriptor.description).toBe('Ours.')
  })

  it('keeps the time that the tool may take, and its output schema', () => {
    const { descriptor } = fromOpenAiAgents(
      agentsTool({ ...ABOUT, timeoutMs: 1_234, outputSchema: z.object({ paid: z.number() }), execute: () => ({ paid: 24 }) }),
      READ,
    )
    expect(descriptor).toMatchObject({ timeoutMs: 1_234, outputSchema: { type: 'object', properties: { paid: { type: 'number' } } } })
  })
})

describe('a call', () => {
  it('runs with its arguments', async () => {
    expect((await callOnce(fromOpenAiAgents(findOrder, READ), { id: '42' })).result).toMatchObject({
      structuredContent: { id: '42', paid: 24 },
    })
    expect((await callOnce(fromOpenAiAgents(findOrder, READ), { id: 42 })).events).toEqual(['call.invalid'])
  })

  it('is told its id, the signal and the context', async () => {
    const seen: unknown[] = []
    const looking = agentsTool({
      ...ABOUT,
      execute: (input, runContext, details) => void seen.push(input, runContext?.context, details?.toolCall?.callId),
    })
    await callOnce(fromOpenAiAgents(looking, { ...READ, context: { user: 'ana' } }), { id: '42' })
    expect(seen).toEqual([{ id: '42' }, { user: 'ana' }, expect.stringMatching(/^[\w-]{43}$/)])
  })

  it('is aborted with the signal of the runtime', async () => {
    const waiting = agentsTool({ ...ABOUT, execute: (_, __, details) => details?.signal as never })
    const { signal } = new AbortController()
    const call = wrong<CallContext>({ signal, invocationId: 'i' })
    expect(await fromOpenAiAgents(waiting, READ).run({ id: '42' }, call)).toBe(signal)
  })

  it.each([
    ['hides what went wrong', {}, 'does not say what went wrong'],
    ['says what went wrong', { errorFunction: null }, 'no such order'],
  ])('that throws is an error, also where the tool %s', async (_, how, said) => {
    const failing = agentsTool({ ...ABOUT, ...how, execute: () => Promise.reject(new Error('no such order')) })
    const { result } = await callOnce(fromOpenAiAgents(failing, READ), { id: '42' })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(said) }] })
  })

  it('is held against the output schema of the tool, also where it returns the text of its value', async () => {
    const outputSchema = {
      type: 'object' as const,
      properties: { paid: { type: 'number' } },
      required: ['paid'],
      additionalProperties: false as const,
    }
    const promising = agentsTool({ ...ABOUT, outputSchema, execute: ({ id }) => (id === '42' ? '{"paid":24}' : '{"paid":"much"}') })
    const made = fromOpenAiAgents(promising, READ)
    expect((await callOnce(made, { id: '42' })).result).toMatchObject({ structuredContent: { paid: 24 } })
    expect((await callOnce(made, { id: '43' })).result).toMatchObject({ isError: true })
  })

  it('keeps texts, pictures and files apart', async () => {
    const output = [
      { type: 'text', text: 'See' },
      { type: 'image', image: { data: 'AQID', mediaType: 'image/png' } },
      { type: 'file', file: { data: new Uint8Array([1, 2, 3]), mediaType: 'application/pdf', filename: 'a.pdf' } },
      { type: 'image', image: { url: 'https://example.com/a.png' } },
    ]
    const showing = agentsTool({ ...ABOUT, execute: () => output })
    expect((await callOnce(fromOpenAiAgents(showing, READ), { id: '42' })).result?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'urn:tool:output', mimeType: 'application/pdf', blob: 'AQID' } },
      { type: 'text', text: expect.stringContaining('https://example.com/a.png') },
    ])
  })
})

describe('approval', () => {
  it('is asked for where the tool needs it, and not where it does not', async () => {
    const careful = agentsTool({ ...ABOUT, needsApproval: true, execute: () => 'ran' })
    expect((await callOnce(fromOpenAiAgents(careful, READ), { id: '42' })).events).toContain('call.held')
    expect((await callOnce(fromOpenAiAgents(findOrder, READ), { id: '42' })).events).not.toContain('call.held')
  })

  it('is asked of the function of the tool, with context and arguments', async () => {
    const careful = agentsTool({
      ...ABOUT,
      needsApproval: async ({ context }, { id }) => id === (context as { vip: string }).vip,
      execute: () => 'ran',
    })
    const made = fromOpenAiAgents(careful, { ...READ, context: { vip: '42' } })
    expect((await callOnce(made, { id: '42' })).events).toContain('call.held')
    expect((await callOnce(made, { id: '43' })).events).not.toContain('call.held')
  })

  it('is what the host says, where it says it', async () => {
    const careful = agentsTool({ ...ABOUT, needsApproval: true, execute: () => 'ran' })
    expect((await callOnce(fromOpenAiAgents(careful, { ...READ, approval: 'never' }), { id: '42' })).events).not.toContain('call.held')
  })
})

describe('refused', () => {
  it('without a replay policy', () => {
    // @ts-expect-error -- the compiler asks for it as well
    expect(refusal(() => fromOpenAiAgents(findOrder, {})).code).toBe('replay_policy_missing')
  })

  it.each<readonly [string, unknown, RegExp]>([
    ['a hosted search', webSearchTool(), /providerTools/],
    ['a hosted interpreter', codeInterpreterTool(), /providerTools/],
    ['a hosted tool server', hostedMcpTool({ serverLabel: 'a', serverUrl: 'https://example.com' }), /providerTools/],
    ['nothing', null, /function tool/],
    ['what cannot be invoked', { ...findOrder, invoke: undefined }, /tool\.invoke/],
    ['a tool with guardrails', { ...findOrder, inputGuardrails: [{ name: 'g', run: () => undefined }] }, /guardrails/],
  ])('%s', (_, given, message) => {
    const { code, message: said } = refusal(() => fromOpenAiAgents(wrong<AgentsTool>(given), READ))
    expect(code).toBe('option_invalid')
    expect(said).toMatch(message)
  })
})
