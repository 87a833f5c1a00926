// Goal: what OpenAI and servers that speak like it were recorded to say comes through the real SDK as the round that it is. The
// recordings lie beside the checkout; without them this says so and is left out.

import { expect, it } from 'vitest'
import { openai, openaiChat } from '../../../adapters/models/openai.ts'
import type { Model, ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { describeRecorded, openWire, recordedBody, recordedChunks, type Answer } from '../wire.ts'
import { cut, streamOf } from './authored.ts'

const SEARCH: ModelRequest = { ...REQUEST, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }
const providerTools = { search: { type: 'web_search' } }

type Make = (options: { readonly baseURL: string; readonly apiKey: string; readonly stream: boolean }) => Model

const responses: Make = options => openai('gpt-5', { ...options, providerTools })
const chat: Make = options => openaiChat('test-model', options)

async function roundOf(make: Make, answer: Answer, stream: boolean, request = REQUEST): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  return await make({ baseURL: wire.url, apiKey: 'key-of-nobody', stream }).ask(request, askContext())
}

const whole = (make: Make, name: string, request = REQUEST) => roundOf(make, { body: recordedBody(`${name}.json`) }, false, request)

const streamed = (make: Make, name: string) => roundOf(make, streamOf(recordedChunks(`${name}.chunks.txt`)), true)

/** The requests of one recording stand one after the other in it. */
function parted(name: string): readonly (readonly string[])[] {
  const parts: string[][] = []
  for (const chunk of recordedChunks(`${name}.chunks.txt`)) {
    if (chunk.startsWith('{"type":"response.created"')) parts.push([])
    parts.at(-1)?.push(chunk)
  }
  return parts
}

// Without the recordings `wire.ts` says so loudly.
describeRecorded('recorded responses of OpenAI', () => {
  it('hold text in phases, each kept with its text', async () => {
    const { items, completion, usage } = await whole(responses, 'openai-phase.1')
    expect({ completion, usage }).toEqual({ completion: 'clean', usage: { inputTokens: 7243, outputTokens: 423, cachedTokens: 3072 } })
    expect(items).toMatchObject([
      { kind: 'text', extra: { 'openai-responses': { part: { phase: 'commentary' } } } },
      { kind: 'text', extra: { 'openai-responses': { part: { phase: 'final_answer' } } } },
    ])
  })

  it('hold reasoning byte for byte, and the call behind it', async () => {
    const [reasoned = []] = parted('openai-reasoning-encrypted-content.1')
    const done = reasoned.map(line => JSON.parse(line)).find(event => event.type === 'response.output_item.done')
    const round = await roundOf(responses, streamOf(reasoned), true)
    expect(round).toMatchObject({ completion: 'clean', stop: 'completed' })
    expect(round.items).toEqual([
      { kind: 'opaque', value: { 'openai-responses': { host: '127.0.0.1', part: done.item } } },
      { kind: 'call', id: 'call_AB6AaRZ1FYZB2RwS6A5vbdqn', name: 'calculator', arguments: '{"a":12,"b":7,"op":"add"}' },
    ])
  })

  it('hold reasoning in one piece as in a stream', async () => {
    const { items } = await whole(responses, 'openai-reasoning-encrypted-content.1')
    expect(items[0]).toMatchObject({
      kind: 'opaque',
      value: { 'openai-responses': { part: { encrypted_content: expect.stringMatching(/^gAAAA/) } } },
    })
  })

  it('hold searches of the provider, and the text that cites them', async () => {
    const { items, completion } = await whole(responses, 'openai-web-search-tool.1', SEARCH)
    expect(completion).toBe('clean')
    expect(items.filter(item => item.kind === 'provider-tool')).toMatchObject([
      { name: 'search', input: { action: { type: 'search' } }, result: { status: 'completed' } },
      { name: 'search', input: { action: { type: 'open_page' } }, result: { status: 'completed' } },
      { name: 'search', input: { action: { type: 'find_in_page', pattern: 'Vercel' } }, result: { status: 'completed' } },
    ])
    expect(items.at(-1)).toMatchObject({ kind: 'text', extra: { 'openai-responses': { part: { annotations: expect.any(Array) } } } })
  })

  it('are no round where the provider searched unasked', async () => {
    const failure = await failureOf(whole(responses, 'openai-web-search-tool.1'))
    expect(failure).toMatchObject({ code: 'model_protocol_violation', final: true })
  })

  it.each(['openai-mcp-tool-approval.1', 'openai-custom-tool.1', 'openai-client-tool-search.1'])(
    'are no round where they ask for what was not offered: %s',
    async name => {
      for (const ask of [whole, streamed])
        expect(await failureOf(ask(responses, name))).toMatchObject({ code: 'model_protocol_violation', final: true })
    },
  )

  it('name an account without quota, in a stream and by status', async () => {
    const used = { code: 'model_request_rejected', final: true, message: expect.stringContaining('quota') }
    expect(await failureOf(streamed(responses, 'openai-error.1'))).toMatchObject(used)
    const answer = { status: 429, body: recordedBody('openai-error.1.json') }
    expect(await failureOf(roundOf(responses, answer, false))).toMatchObject({ ...used, status: 429 })
  })

  it('give no round when they are cut, wherever that is', async () => {
    for (const part of parted('openai-reasoning-encrypted-content.1')) {
      for (let after = 0; after < part.length; after += 1)
        expect(await failureOf(roundOf(responses, cut(streamOf(part), after), true))).toMatchObject({ final: false })
    }
  })
})

// Without the recordings `wire.ts` says so loudly.
describeRecorded('recorded completions', () => {
  it('of OpenAI hold text and what it took', async () => {
    const { items, ...rest } = await whole(chat, 'openai-text')
    expect(rest).toEqual({ completion: 'clean', stop: 'stop', usage: { inputTokens: 16, outputTokens: 363, cachedTokens: 0 } })
    expect(items).toMatchObject([{ kind: 'text', text: expect.stringContaining('Galaxy Day') }])
  })

  const reasons = (of: Make, name: string) => [whole(of, name), streamed(of, name)]

  it.each(['deepseek-tool-call', 'xai-tool-call'])('of %s hold what the model thought, and one call', async name => {
    for (const round of await Promise.all(reasons(chat, name))) {
      const { items, completion, stop, usage } = round
      expect({ completion, stop }).toEqual({ completion: 'clean', stop: 'tool_calls' })
      expect(usage).toMatchObject({ cachedTokens: expect.any(Number) })
      expect(items).toMatchObject([
        { kind: 'opaque', value: { 'openai-chat': { part: { reasoning_content: expect.stringMatching(/San Francisco/) } } } },
        { kind: 'call', id: expect.stringMatching(/^call_/), name: 'weather' },
      ])
      const [, call] = items
      expect(JSON.parse(call?.kind === 'call' ? (call.arguments ?? '') : '')).toEqual({ location: 'San Francisco' })
    }
  })

  it('of a server that repeats an empty name hold the call that was begun', async () => {
    expect(await streamed(chat, 'mistral-incremental-tool-call')).toEqual({
      completion: 'clean',
      stop: 'tool_calls',
      items: [
        { kind: 'call', id: 'chatcmpl-tool-9f149c74c42f265b', name: 'webSearchTool', arguments: '{"query": "current Berlin weather"}' },
      ],
      usage: { inputTokens: 171, outputTokens: 14, cachedTokens: 128 },
    })
  })

  /** Behind the finish reason only the usage may be lost. */
  const marks = (chunk: string) => /"finish_reason":"/.test(chunk)

  it.each(['deepseek-tool-call', 'xai-tool-call', 'mistral-incremental-tool-call'])(
    'of %s give no round when they are cut before their end mark',
    async name => {
      const data = recordedChunks(`${name}.chunks.txt`)
      for (let after = 0; after <= data.findIndex(marks); after += 1)
        expect(await failureOf(roundOf(chat, cut(streamOf(data), after), true))).toMatchObject({ final: false })
    },
  )
})
