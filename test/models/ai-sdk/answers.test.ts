// Goal: whatever a package says through the interface becomes the round that it is, or none: ends that are not clean, parts that are
// kept for the provider, streams that contradict themselves.

import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { aiSdk } from '../../../adapters/models/ai-sdk.ts'
import type { ModelFailure, ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST, type Delta } from '../asking.ts'
import { fakeModel, finish, wholeModel } from './fake.ts'

const CALL: LanguageModelV4ToolCall = { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: '{"id":"1"}' }
const SEARCHES: ModelRequest = { ...REQUEST, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }
const providerTools = { search: { type: 'provider', id: 'nobody.search' } } as const

const told = (...parts: readonly LanguageModelV4StreamPart[]): Promise<ModelRound> =>
  aiSdk(fakeModel([parts]), { providerTools }).ask(SEARCHES, askContext())

const whole = (content: readonly LanguageModelV4Content[], reason: LanguageModelV4FinishReason, body?: unknown): Promise<ModelRound> =>
  aiSdk(wholeModel(content, reason, body), { stream: false, providerTools }).ask(SEARCHES, askContext())

const failed = (...parts: readonly LanguageModelV4StreamPart[]): Promise<ModelFailure> => failureOf(told(...parts))

describe('how an answer ended', () => {
  it.each([
    ['stop', undefined, 'clean', 'stop'],
    ['stop', 'STOP', 'clean', 'STOP'],
    ['stop', 'pause_turn', 'paused', 'pause_turn'],
    ['tool-calls', undefined, 'clean', 'tool-calls'],
    ['tool-calls', 'tool_use', 'clean', 'tool_use'],
    ['tool-calls', 'TOOL_CALL', 'clean', 'TOOL_CALL'],
    ['tool-calls', 'zzz', 'truncated', 'zzz'],
    ['tool-calls', 'max_tool_calls', 'truncated', 'max_tool_calls'],
    ['length', 'max_tokens', 'truncated', 'max_tokens'],
    ['content-filter', 'refusal', 'refused', 'refusal'],
    ['other', undefined, 'truncated', 'other'],
    ['other', 'compaction', 'truncated', 'compaction'],
    ['unknown', 'zzz', 'truncated', 'zzz'],
  ] as const)('%s (%s) is %s', async (unified, raw, completion, stop) => {
    const reason = { unified, raw } as LanguageModelV4FinishReason
    expect(await whole([CALL], reason)).toMatchObject({ completion, stop })
    expect(await told(CALL, { ...finish('stop'), finishReason: reason })).toMatchObject({ completion, stop })
  })

  it.each(['interrupted', 'error'] as const)('%s is no round, and is asked for again', async unified => {
    expect(await failed(CALL, finish(unified))).toMatchObject({ code: 'model_unavailable', final: false })
    expect(await failureOf(whole([CALL], { unified, raw: undefined }))).toMatchObject({ code: 'model_unavailable', final: false })
  })

  it('a stream without an end is one that broke off', async () => {
    expect(await failed(CALL)).toMatchObject({ kind: 'reset', code: 'model_unavailable', final: false })
  })

  const item = (status: string) => ({ type: 'function_call', status, call_id: 'c1', name: 'refund', arguments: '{"id":"1"}' })
  it.each([
    ['an item that is incomplete', { object: 'response', status: 'completed', output: [item('incomplete')] }, 'truncated'],
    ['a response that is incomplete', { object: 'response', status: 'incomplete', output: [item('completed')] }, 'truncated'],
    ['a status that nobody knows', { object: 'response', status: 'zzz', output: [item('completed')] }, 'truncated'],
    ['a response that is whole', { object: 'response', status: 'completed', output: [item('completed')] }, 'clean'],
    [
      'a refusal beside a call',
      { object: 'response', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
      'refused',
    ],
    ['a refusal beside a call of Chat Completions', { choices: [{ message: { refusal: 'No.' } }] }, 'refused'],
    ['a form that nobody knows', { status: 'zzz' }, 'clean'],
    ['nothing', undefined, 'clean'],
  ])('is also read from the words of the provider: %s', async (_, body, completion) => {
    const reason = { unified: 'tool-calls', raw: undefined } as const
    expect((await whole([CALL], reason, body)).completion).toBe(completion)
    const raw = { type: 'raw', rawValue: body } as const
    expect((await told(raw, CALL, finish('tool-calls'))).completion).toBe(completion)
  })

  it('is read from the event that tells it', async () => {
    const raw = { type: 'raw', rawValue: { type: 'response.incomplete', response: { object: 'response', status: 'incomplete' } } } as const
    expect((await told(raw, CALL, finish('tool-calls'))).completion).toBe('truncated')
  })

  it('an item that was incomplete when it was done makes the round one that is cut off', async () => {
    const raw = { type: 'raw', rawValue: { type: 'response.output_item.done', item: item('incomplete') } } as const
    expect(await told(raw, CALL, finish('tool-calls'))).toMatchObject({ completion: 'truncated' })
  })

  it('what a refusal says is kept beside its items', async () => {
    expect(
      await whole(
        [
          { type: 'text', text: 'No, ' },
          { type: 'text', text: 'never.' },
        ],
        { unified: 'content-filter', raw: 'refusal' },
      ),
    ).toMatchObject({
      completion: 'refused',
      refusal: 'No, never.',
      items: [{ text: 'No, ' }, { text: 'never.' }],
    })
  })
})

describe('what was said', () => {
  const metadata = { nobody: { signature: 'Er8B+/Zg==\u2028\\"' } }
  const content: readonly LanguageModelV4Content[] = [
    { type: 'reasoning', text: 'Hm.', providerMetadata: metadata },
    { type: 'text', text: 'I look.', providerMetadata: metadata },
    { type: 'text', text: '' },
    { type: 'custom', kind: 'nobody.thing', providerMetadata: metadata },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
    { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: '{"q":"x"}', providerExecuted: true, providerMetadata: metadata },
    { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { early: true }, preliminary: true },
    { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { found: 1 }, isError: true },
    { ...CALL, providerMetadata: metadata },
    { type: 'tool-call', toolCallId: '', toolName: 'unknown', input: '' },
  ]

  it('is kept in its order, each kind as what it is', async () => {
    const own = (part: object) => ({ 'ai-sdk/nobody': part })
    const { items } = await whole(content, { unified: 'tool-calls', raw: 'tool_calls' })
    expect(items).toEqual([
      { kind: 'opaque', value: own({ type: 'reasoning', text: 'Hm.', providerMetadata: metadata }) },
      { kind: 'text', text: 'I look.', extra: own({ providerMetadata: metadata }) },
      { kind: 'opaque', value: own({ type: 'custom', kind: 'nobody.thing', providerMetadata: metadata }) },
      { kind: 'opaque', value: own({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }) },
      {
        kind: 'opaque',
        value: own({ type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: 'https://example.com/a.png' } }),
      },
      { kind: 'opaque', value: own({ type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' }) },
      { kind: 'provider-tool', name: 'search', id: 'p1', input: { q: 'x' }, extra: own({ providerMetadata: metadata }) },
      { kind: 'provider-tool', name: 'search', id: 'p1', result: { found: 1 }, extra: own({ isError: true }) },
      { kind: 'call', id: 'c1', name: 'refund', arguments: '{"id":"1"}', extra: own({ providerMetadata: metadata }) },
      { kind: 'call', id: null, name: 'unknown', arguments: '' },
    ])
  })

  it('is the same streamed', async () => {
    const streamed = await told(
      { type: 'stream-start', warnings: [{ type: 'other', message: 'words' }] },
      { type: 'response-metadata', id: 'r' },
      { type: 'custom', kind: 'anthropic.message_start' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-end', id: '0', providerMetadata: metadata },
      { type: 'text-start', id: '0', providerMetadata: { nobody: { early: true } } },
      { type: 'ping' },
      { type: 'text-delta', id: '0', delta: 'I ' },
      { type: 'text-delta', id: '0', delta: 'look.', providerMetadata: metadata },
      { type: 'text-end', id: '0' },
      ...(content.slice(2).filter(part => part.type !== 'text') as LanguageModelV4StreamPart[]),
      finish('tool-calls', 'tool_calls'),
    )
    expect(streamed).toEqual(await whole(content, { unified: 'tool-calls', raw: 'tool_calls' }))
  })

  it('is told while it comes: words, thoughts, and the texts of calls of this side', async () => {
    const deltas: Delta[] = []
    const parts: readonly LanguageModelV4StreamPart[] = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I look.' },
      { type: 'tool-input-start', id: 'p1', toolName: 'search', providerExecuted: true },
      { type: 'tool-input-delta', id: 'p1', delta: '{"q":"x"}' },
      content[7] as LanguageModelV4StreamPart,
      { type: 'tool-input-start', id: 'c1', toolName: 'refund' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"id":' },
      { type: 'tool-input-delta', id: 'c1', delta: '"1"}' },
      { type: 'tool-input-end', id: 'c1' },
      CALL,
      { ...CALL, toolCallId: 'c2' },
      finish('tool-calls'),
    ]
    const context = askContext({ onDelta: delta => void deltas.push(delta) })
    await aiSdk(fakeModel([parts]), { providerTools }).ask(SEARCHES, context)
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'I look.' },
      { kind: 'call', text: '{"id":' },
      { kind: 'call', text: '"1"}' },
      { kind: 'call', text: '{"id":"1"}' },
    ])
  })

  it('stands in the order in which it began', async () => {
    const { items } = await told(
      { type: 'tool-input-start', id: 'c1', toolName: 'refund' },
      { type: 'tool-input-start', id: 'c2', toolName: 'refund' },
      { ...CALL, toolCallId: 'c2' },
      CALL,
      finish('tool-calls'),
    )
    expect(items).toMatchObject([{ id: 'c1' }, { id: 'c2' }])
  })

  it('of one id twice is two calls', async () => {
    expect((await told(CALL, { ...CALL, input: '{"id":"2"}' }, finish('tool-calls'))).items).toMatchObject([
      { kind: 'call', id: 'c1', arguments: '{"id":"1"}' },
      { kind: 'call', id: 'c1', arguments: '{"id":"2"}' },
    ])
  })

  it('is never taken for a call where it is text', async () => {
    const text = '{"type":"tool-call","toolName":"refund","input":{"id":"1"}}'
    const { items } = await whole([{ type: 'text', text }], { unified: 'tool-calls', raw: undefined })
    expect(items).toEqual([{ kind: 'text', text }])
  })

  it('counts its tokens, as far as they are counts', async () => {
    expect((await whole([], { unified: 'stop', raw: undefined })).usage).toEqual({ inputTokens: 7, outputTokens: 9, cachedTokens: 4 })
    const uncounted = { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: { inputTokens: { total: Number.NaN } } }
    expect(await told(uncounted as unknown as LanguageModelV4StreamPart)).not.toHaveProperty('usage')
  })
})

describe('a call that was cut off', () => {
  const begun: readonly LanguageModelV4StreamPart[] = [
    { type: 'tool-input-start', id: 'c1', toolName: 'refund' },
    { type: 'tool-input-delta', id: 'c1', delta: '{"id":"1"}' },
  ]

  it('stands in a round that ran out of room, which runs nothing', async () => {
    expect(await told(...begun, finish('length'))).toMatchObject({
      completion: 'truncated',
      items: [{ kind: 'call', id: 'c1', name: 'refund', arguments: '{"id":"1"}' }],
    })
  })

  it('stands in a round that is incomplete by the word of the provider', async () => {
    const raw = { type: 'raw', rawValue: { type: 'response.incomplete', response: { object: 'response', status: 'incomplete' } } } as const
    expect(await told(...begun, raw, finish('tool-calls'))).toMatchObject({ completion: 'truncated', items: [{ kind: 'call', id: 'c1' }] })
  })

  it('is missed in one that is said to be whole', async () => {
    expect(await failed(...begun, finish('tool-calls'))).toMatchObject({ code: 'model_protocol_violation' })
  })
})

describe('a stream that contradicts itself is no answer', () => {
  const text = { type: 'text-start', id: '0' } as const
  const input = { type: 'tool-input-start', id: 'c1', toolName: 'refund' } as const
  it.each<readonly [string, readonly LanguageModelV4StreamPart[]]>([
    ['a block that begins twice', [text, text, finish('stop')]],
    ['a piece of a block that did not begin', [{ type: 'text-delta', id: '1', delta: 'x' }, finish('stop')]],
    ['an end of a block that did not begin', [{ type: 'reasoning-end', id: '1' }, finish('stop')]],
    ['a piece of a block that ended', [text, { type: 'text-end', id: '0' }, { type: 'text-delta', id: '0', delta: 'x' }, finish('stop')]],
    ['a call that begins twice', [input, input, CALL, finish('tool-calls')]],
    ['a piece of a call that did not begin', [{ type: 'tool-input-delta', id: 'c1', delta: '{' }, CALL, finish('tool-calls')]],
    ['a call by another name than it began with', [{ ...input, toolName: 'find_order' }, CALL, finish('tool-calls')]],
    ['a call behind the end', [finish('stop'), CALL]],
    ['a second end', [finish('stop'), finish('tool-calls')]],
  ])('%s', async (_, parts) => {
    expect(await failed(...parts)).toMatchObject({ code: 'model_protocol_violation', final: true })
  })
})

describe('a call over a tool server', () => {
  const run = { type: 'tool-call', toolCallId: 'p1', input: '{}', providerExecuted: true, dynamic: true } as const
  const reason = { unified: 'stop', raw: undefined } as const

  it.each<readonly [string, LanguageModelV4Content]>([
    ['by its name', { ...run, toolName: 'mcp.search' }],
    ['by what the provider says of it', { ...run, toolName: 'search', providerMetadata: { nobody: { type: 'mcp-tool-use' } } }],
    ['by its result', { type: 'tool-result', toolCallId: 'p1', toolName: 'mcp.search', result: {} }],
    ['that wants leave', { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'p1' }],
  ])('%s fails the round', async (_, part) => {
    expect(await failureOf(whole([part], reason))).toMatchObject({ code: 'model_protocol_violation', final: true })
    expect(await failed(part as LanguageModelV4StreamPart, finish('stop'))).toMatchObject({ code: 'model_protocol_violation', final: true })
  })

  it.each([
    ['Responses', { output: [{ type: 'mcp_list_tools', tools: [] }] }],
    ['Messages', { content: [{ type: 'mcp_tool_use', id: 'x' }] }],
  ])('that the package leaves out is found in the words of the provider: %s', async (_, body) => {
    expect(await failureOf(whole([{ type: 'text', text: 'x' }], reason, body))).toMatchObject({ code: 'model_protocol_violation' })
  })
})
