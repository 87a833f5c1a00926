// Goal: what providers were recorded to say comes through the AI SDK's packages as the round that it is. The recordings lie beside the
// checkout; without them this says so and is left out.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { expect, it } from 'vitest'
import { aiSdk, type AiSdkOptions } from '../../../adapters/models/ai-sdk.ts'
import type { Model, ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { cut, streamOf } from '../openai/authored.ts'
import { describeRecorded, openWire, recordedBody, recordedChunks, type Answer } from '../wire.ts'

const SEARCH: ModelRequest = { ...REQUEST, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }

type Make = (baseURL: string, options: AiSdkOptions) => Model

const apiKey = 'key-of-nobody'
const anthropic: Make = (baseURL, options) =>
  aiSdk(createAnthropic({ baseURL, apiKey })('claude-test'), withSearch('anthropic.web_search_20250305', options))
const responses: Make = (baseURL, options) => aiSdk(createOpenAI({ baseURL, apiKey })('gpt-5'), withSearch('openai.web_search', options))
const chat: Make = (baseURL, options) => aiSdk(createOpenAI({ baseURL, apiKey }).chat('test-model'), options)

function withSearch(id: `${string}.${string}`, options: AiSdkOptions): AiSdkOptions {
  return { ...options, providerTools: { search: { type: 'provider', id } } }
}

async function roundOf(make: Make, answer: Answer, stream: boolean, request = REQUEST): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  return await make(wire.url, { stream }).ask(request, askContext())
}

const whole = (make: Make, name: string, request = REQUEST) => roundOf(make, { body: recordedBody(`${name}.json`) }, false, request)
const streamed = (make: Make, name: string, request = REQUEST) =>
  roundOf(make, streamOf(recordedChunks(`${name}.chunks.txt`)), true, request)
const bothOf = (make: Make, name: string) => Promise.all([whole(make, name), streamed(make, name)])

/** The first response of a recording that holds several, one after the other. */
function firstOf(name: string): readonly string[] {
  const chunks = recordedChunks(`${name}.chunks.txt`)
  const next = chunks.findIndex((chunk, index) => index > 0 && chunk.startsWith('{"type":"response.created"'))
  return chunks.slice(0, next === -1 ? undefined : next)
}

// Without the recordings `wire.ts` says so loudly.
describeRecorded('recorded responses', () => {
  it('of Anthropic hold text and what it took', async () => {
    for (const round of await bothOf(anthropic, 'anthropic-text'))
      expect(round).toMatchObject({
        completion: 'clean',
        stop: 'end_turn',
        items: [{ kind: 'text' }],
        usage: { inputTokens: 12, cachedTokens: 0 },
      })
  })

  it('of Anthropic hold a call, with its text as it was written where it is a stream', async () => {
    const [written, told] = await bothOf(anthropic, 'anthropic-json-other-tool.1')
    expect(written).toMatchObject({
      completion: 'clean',
      stop: 'tool_use',
      items: [{ kind: 'call', arguments: '{"location":"San Francisco"}' }],
    })
    expect(told).toMatchObject({
      completion: 'clean',
      stop: 'tool_use',
      items: [{ kind: 'call', arguments: '{"location": "San Francisco"}' }],
    })
  })

  it('of Anthropic hold a call without arguments, and take no text for one', async () => {
    for (const { items } of await bothOf(anthropic, 'anthropic-tool-no-args'))
      expect(items).toMatchObject([{ kind: 'text' }, { kind: 'call', name: 'updateIssueList', arguments: '{}' }])
  })

  it('of Anthropic hold a refusal', async () => {
    for (const round of await bothOf(anthropic, 'anthropic-refusal'))
      expect(round).toMatchObject({ completion: 'refused', stop: 'refusal', items: [] })
  })

  it('of Anthropic hold thinking, byte for byte', async () => {
    const name = 'anthropic-claude-opus-5-reasoning-high.1'
    const { content } = JSON.parse(recordedBody(`${name}.json`)) as {
      content: readonly { readonly thinking: string; readonly signature: string }[]
    }
    const [thought] = content
    const { items } = await whole(anthropic, name)
    expect(items[0]).toEqual({
      kind: 'opaque',
      value: {
        'ai-sdk/anthropic': {
          type: 'reasoning',
          text: thought?.thinking,
          providerMetadata: { anthropic: { signature: thought?.signature } },
        },
      },
    })
  })

  it("of Anthropic hold a provider's search, under the name that the turn has for it", async () => {
    const { items } = await streamed(anthropic, 'anthropic-web-search-tool.1', SEARCH)
    expect(items.slice(0, 2)).toMatchObject([
      { kind: 'provider-tool', name: 'search', input: { query: 'tech news today September 26 2025' } },
      { kind: 'provider-tool', name: 'search', result: expect.any(Array) },
    ])
  })

  it('of Anthropic are read once where the stream begins twice', async () => {
    const { items } = await streamed(anthropic, 'duplicate-message-start')
    expect(items).toEqual([{ kind: 'text', text: 'Hello, World!' }])
  })

  it('of OpenAI hold reasoning byte for byte, and the call behind it', async () => {
    const chunks = firstOf('openai-reasoning-encrypted-content.1')
    const { items, completion } = await roundOf(responses, streamOf(chunks), true)
    const done = chunks.map(chunk => JSON.parse(chunk)).find(event => event.type === 'response.output_item.done')
    expect(completion).toBe('clean')
    expect(items).toMatchObject([
      {
        kind: 'opaque',
        value: {
          'ai-sdk/openai': { type: 'reasoning', providerMetadata: { openai: { reasoningEncryptedContent: done.item.encrypted_content } } },
        },
      },
      { kind: 'call', name: 'calculator', arguments: '{"a":12,"b":7,"op":"add"}' },
    ])
  })

  it('of OpenAI hold text in phases', async () => {
    const phase = (name: string) => ({ kind: 'text', extra: { 'ai-sdk/openai': { providerMetadata: { openai: { phase: name } } } } })
    expect((await whole(responses, 'openai-phase.1')).items).toMatchObject([phase('commentary'), phase('final_answer')])
  })

  it('of OpenAI hold searches of the provider', async () => {
    const { items } = await whole(responses, 'openai-web-search-tool.1', SEARCH)
    expect(items.filter(item => item.kind === 'provider-tool').map(item => item.name)).toEqual(Array.from({ length: 6 }, () => 'search'))
  })

  it('of OpenAI name an account without quota', async () => {
    expect(await failureOf(streamed(responses, 'openai-error.1'))).toMatchObject({ code: 'model_request_rejected', final: true })
  })

  it.each([
    ['anthropic-mcp.1', anthropic],
    ['openai-mcp-tool-approval.1', responses],
  ] as const)('are no round where the provider called a tool server: %s', async (name, make) => {
    for (const ask of [whole, streamed])
      expect(await failureOf(ask(make, name, SEARCH))).toMatchObject({ code: 'model_protocol_violation', final: true })
  })

  it.each(['deepseek-tool-call', 'xai-tool-call'])('of %s hold one call', async name => {
    for (const { items, completion } of await bothOf(chat, name)) {
      const [call, ...more] = items
      expect({ completion, more }).toEqual({ completion: 'clean', more: [] })
      expect(JSON.parse(call?.kind === 'call' ? (call.arguments ?? '') : '')).toEqual({ location: 'San Francisco' })
    }
  })

  it('of a server that repeats an empty name hold the call that was begun', async () => {
    expect((await streamed(chat, 'mistral-incremental-tool-call')).items).toMatchObject([
      { kind: 'call', name: 'webSearchTool', arguments: '{"query": "current Berlin weather"}' },
    ])
  })

  it.each([
    ['anthropic-json-other-tool.1', anthropic, () => true],
    ['openai-reasoning-encrypted-content.1', responses, () => true],
    // Behind the finish reason only the usage may be lost.
    ['deepseek-tool-call', chat, (chunk: string) => !/"finish_reason":"/.test(chunk)],
  ] as const)('give no round when they are cut, wherever that is: %s', async (name, make, isBefore) => {
    const chunks = firstOf(name)
    for (let after = 0; after < chunks.length && chunks.slice(0, after).every(isBefore); after += 1)
      expect(await failureOf(roundOf(make, cut(streamOf(chunks), after), true))).toMatchObject({ final: false })
  })
})
