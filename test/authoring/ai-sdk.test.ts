// Goal: a tool that was written for the AI SDK runs as it is, by this runtime alone, held and recorded like any other.

import { openai } from '@ai-sdk/openai'
import { anthropic } from '@ai-sdk/anthropic'
import { dynamicTool, jsonSchema, tool as aiTool } from 'ai'
import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fromAiSdk, type AiSdkTool } from '../../adapters/tools/ai-sdk.ts'
import type { CallContext } from '../../machines/tool.ts'
import { wrong } from '../door/given.ts'
import { callOnce, refusal } from './turn.ts'

const inputSchema = z.object({ city: z.string().describe('Name of the city'), days: z.number().int().default(1) })

const weather = aiTool({
  description: 'Tells the weather of a city.',
  inputSchema,
  execute: async ({ city, days }) => ({ city, days, sunny: true }),
})

const READ = { replayPolicy: 'read-only' } as const

describe('what the model is shown', () => {
  it('is name, description and schema', () => {
    const { descriptor } = fromAiSdk('weather', weather, READ)
    expect(descriptor).toMatchObject({
      name: 'weather',
      description: 'Tells the weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string', description: 'Name of the city' } }, required: ['city'] },
      replayPolicy: 'read-only',
      contentTrust: 'untrusted',
      approval: 'never',
    })
  })

  it.each([
    ['a JSON Schema', jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })],
    [
      'one that is made when it is needed',
      () => jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    ],
    ['of another library', type({ city: 'string' })],
  ])('has %s', (_, schema) => {
    const { descriptor } = fromAiSdk('weather', { ...weather, inputSchema: schema }, READ)
    expect(descriptor.inputSchema).toMatchObject({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })
  })

  it('holds no arguments where the tool takes none', () => {
    const { descriptor } = fromAiSdk('now', { inputSchema: undefined, execute: () => 1 }, READ)
    expect(descriptor.inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  it('has the words of the host, where it gives some', () => {
    expect(fromAiSdk('weather', weather, { ...READ, description: 'Ours.' }).descriptor.description).toBe('Ours.')
  })
})

describe('a call', () => {
  it('runs with the arguments as the schema of the tool reads them', async () => {
    const reading = aiTool({
      inputSchema: z.object({ day: z.string().transform(day => new Date(day)) }),
      execute: ({ day }) => day.getUTCFullYear(),
    })
    expect((await callOnce(fromAiSdk('year', reading, READ), { day: '2026-05-01' })).result).toMatchObject({ structuredContent: 2026 })
    expect((await callOnce(fromAiSdk('weather', weather, READ), { city: 'Rome' })).result).toMatchObject({
      structuredContent: { city: 'Rome', days: 1, sunny: true },
    })
  })

  it('fails where the schema knows more than JSON Schema can say', async () => {
    const even = aiTool({ inputSchema: z.object({ n: z.number().refine(n => n % 2 === 0, 'must be even') }), execute: () => 'ran' })
    const { result } = await callOnce(fromAiSdk('even', even, READ), { n: 3 })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('must be even') }] })
    const own = {
      ...even,
      inputSchema: jsonSchema({ type: 'object' }, { validate: () => ({ success: false, error: new Error('not so') }) }),
    }
    expect((await callOnce(fromAiSdk('own', own, READ), { n: 3 })).result).toMatchObject({ isError: true })
  })

  it('is told its id, the signal and the context', async () => {
    const seen: object[] = []
    const looking = aiTool({
      inputSchema: z.object({}),
      contextSchema: z.object({ user: z.string() }),
      execute: (_, options) => void seen.push(options),
    })
    await callOnce(fromAiSdk('look', looking, { ...READ, context: { user: 'ana' } }), {})
    expect(seen).toEqual([
      { toolCallId: expect.stringMatching(/^[\w-]{43}$/), messages: [], abortSignal: expect.any(AbortSignal), context: { user: 'ana' } },
    ])
  })

  it('is aborted with the signal of the runtime', async () => {
    const { run } = fromAiSdk(
      'wait',
      { inputSchema: undefined, execute: (_: never, { abortSignal }: { abortSignal: AbortSignal }) => abortSignal },
      READ,
    )
    const { signal } = new AbortController()
    expect(await run({}, wrong<CallContext>({ signal, invocationId: 'i' }))).toBe(signal)
  })

  it('returns the last of several versions', async () => {
    const growing = {
      inputSchema: z.object({}),
      execute: async function* () {
        yield { done: 1 }
        yield { done: 2 }
      },
    }
    expect((await callOnce(fromAiSdk('grow', growing, READ), {})).result).toMatchObject({ structuredContent: { done: 2 } })
  })

  it('may change the arguments that it is given', async () => {
    const changing = { inputSchema: undefined, execute: (args: { list?: number[] }) => Object.assign(args, { list: [1] }) }
    expect((await callOnce(fromAiSdk('change', changing, READ), {})).text).toBeNull()
  })

  it('that throws is an error the model reads', async () => {
    const failing = { ...weather, inputSchema: z.object({}), execute: () => Promise.reject(new Error('no such city')) }
    expect((await callOnce(fromAiSdk('fail', failing, READ), {})).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no such city') }],
    })
  })

  it.each([
    [{ type: 'text', value: 'Sunny.' }, { content: [{ type: 'text', text: 'Sunny.' }] }],
    [{ type: 'json', value: { sunny: true } }, { structuredContent: { sunny: true } }],
    [
      { type: 'error-text', value: 'No.' },
      { content: [{ type: 'text', text: 'No.' }], isError: true },
    ],
    [
      { type: 'error-json', value: { no: 1 } },
      { content: [{ type: 'text', text: '{"no":1}' }], isError: true },
    ],
    [
      { type: 'execution-denied', reason: 'Not now.' },
      { content: [{ type: 'text', text: 'Not now.' }], isError: true },
    ],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'See' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
          { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'AQID' } },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
        ],
      },
      {
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', data: 'AQID', mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'urn:tool:output', mimeType: 'application/pdf', blob: 'AQID' } },
          { type: 'text', text: expect.stringContaining('https://example.com/a.png') },
        ],
      },
    ],
  ])('shows the model what the tool shows: %j', async (output, result) => {
    const shown = { ...weather, toModelOutput: () => output }
    expect((await callOnce(fromAiSdk('weather', shown, READ), { city: 'Rome' })).result).toMatchObject(result)
  })

  it('gives toModelOutput what the call was', async () => {
    const shown: object[] = []
    const showing = { ...weather, toModelOutput: (call: object) => ({ type: 'text', value: `${shown.push(call)}` }) }
    await callOnce(fromAiSdk('weather', showing, READ), { city: 'Rome' })
    expect(shown).toEqual([
      { toolCallId: expect.any(String), input: { city: 'Rome', days: 1 }, output: { city: 'Rome', days: 1, sunny: true } },
    ])
  })

  it('is held against the output schema of the tool', async () => {
    const promising = { ...weather, outputSchema: z.object({ sunny: z.boolean() }) }
    expect((await callOnce(fromAiSdk('weather', promising, READ), { city: 'Rome' })).result?.isError).toBeUndefined()
    const lying = { ...promising, outputSchema: z.object({ rain: z.number() }) }
    expect((await callOnce(fromAiSdk('weather', lying, READ), { city: 'Rome' })).result?.isError).toBe(true)
    const unwritten = { ...weather, outputSchema: z.object({ at: z.date() }) }
    expect(fromAiSdk('weather', unwritten, READ).descriptor.outputSchema).toBeUndefined()
    const saying = { ...weather, outputSchema: z.string(), execute: () => 'Sunny.' }
    expect((await callOnce(fromAiSdk('weather', saying, READ), { city: 'Rome' })).result).toMatchObject({
      content: [{ text: 'Sunny.' }],
      structuredContent: 'Sunny.',
    })
  })
})

describe('approval', () => {
  const careful = (needsApproval: AiSdkTool['needsApproval']): AiSdkTool => ({ ...weather, needsApproval })

  it('is always asked for, where the tool needs it', async () => {
    const made = fromAiSdk('weather', careful(true), READ)
    expect(made.descriptor.approval).toBe('always')
    expect((await callOnce(made, { city: 'Rome' })).events).toContain('call.held')
  })

  it('is asked of the function of the tool, with the arguments that it reads', async () => {
    const made = fromAiSdk(
      'weather',
      careful(({ city, days }: { city: string; days: number }) => Promise.resolve(city === 'Rome' && days === 1)),
      READ,
    )
    expect((await callOnce(made, { city: 'Rome' })).events).toContain('call.held')
    expect((await callOnce(made, { city: 'Oslo' })).events).not.toContain('call.held')
  })

  it('is asked of a person where that function fails', async () => {
    const made = fromAiSdk(
      'weather',
      careful(() => Promise.reject(new Error('no'))),
      READ,
    )
    expect((await callOnce(made, { city: 'Rome' }, false)).events).toEqual(['call.held'])
  })

  it('is what the host says, where it says it', async () => {
    const made = fromAiSdk('weather', careful(true), { ...READ, approval: 'never' })
    expect((await callOnce(made, { city: 'Rome' })).events).not.toContain('call.held')
  })
})

describe('refused', () => {
  it('without a replay policy', () => {
    expect(refusal(() => fromAiSdk('weather', weather, wrong({}))).code).toBe('replay_policy_missing')
    // @ts-expect-error -- the compiler asks for it as well
    expect(refusal(() => fromAiSdk('weather', weather, {})).code).toBe('replay_policy_missing')
  })

  it.each<readonly [string, unknown, RegExp]>([
    ['a tool that the provider runs', openai.tools.webSearch({}), /providerTools/],
    ['a tool that the provider defines', anthropic.tools.bash_20250124({ execute: async () => 'ran' }), /written with tool\(\)/],
    ['a tool without an executor', { ...weather, execute: undefined }, /execute/],
    ['nothing', null, /a tool of the AI SDK/],
    ['a description that changes', { ...weather, description: () => 'x' }, /description/],
    ['a schema that is promised', { ...weather, inputSchema: jsonSchema(Promise.resolve({ type: 'object' })) }, /awaited first/],
    ['a schema that is none', { ...weather, inputSchema: {} }, /Standard Schema/],
  ])('%s', (_, given, message) => {
    const { code, message: said } = refusal(() => fromAiSdk('weather', wrong(given), READ))
    expect(code).toBe('option_invalid')
    expect(said).toMatch(message)
  })

  it('an option that is none', () => {
    expect(refusal(() => fromAiSdk('weather', weather, wrong({ ...READ, aproval: 'always' }))).message).toContain('options.aproval')
  })
})

it('takes tools that are defined at run time, and does not trust their words', async () => {
  const made = fromAiSdk('later', dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async args => args }), READ)
  expect((await callOnce(made, { a: 1 })).result).toMatchObject({ structuredContent: { a: 1 } })
  expect(made.descriptionTrust).toBe('untrusted')
  expect(fromAiSdk('weather', weather, READ).descriptionTrust).toBeUndefined()
})
