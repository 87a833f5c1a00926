// Goal: what Anthropic's API was recorded to say comes through the real SDK as the round that it is. The recordings lie beside the
// checkout; without them this says so and is left out.

import { expect, it } from 'vitest'
import { anthropic } from '../../../adapters/models/anthropic.ts'
import type { ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { describeRecorded, openWire, recordedBody, recordedChunks, type Answer } from '../wire.ts'
import { events } from './driver.ts'

const SEARCH: ModelRequest = { ...REQUEST, providerTools: [{ name: 'web_search', replayPolicy: 'read-only' }] }
const providerTools = { web_search: { type: 'web_search_20250305', name: 'web_search' } }

async function roundOf(answer: Answer, stream: boolean, request = REQUEST): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  const model = anthropic('claude-test', { baseURL: wire.url, apiKey: 'key-of-nobody', stream, providerTools })
  return await model.ask(request, askContext())
}

const whole = (name: string) => roundOf({ body: recordedBody(`${name}.json`) }, false)
const streamed = (name: string, request = REQUEST) => roundOf(events(recordedChunks(`${name}.chunks.txt`)), true, request)

// Without the recordings `wire.ts` says so loudly.
describeRecorded('recorded responses of Anthropic', () => {
  it('hold text and what it took', async () => {
    const text = { kind: 'text', text: expect.stringContaining("I'm doing well") }
    expect(await whole('anthropic-text')).toMatchObject({
      completion: 'clean',
      stop: 'end_turn',
      items: [text],
      usage: { inputTokens: 12, outputTokens: 29, cachedTokens: 0 },
    })
    expect(await streamed('anthropic-text')).toMatchObject({
      completion: 'clean',
      stop: 'end_turn',
      items: [text],
      usage: { inputTokens: 12, outputTokens: 30, cachedTokens: 0 },
    })
  })

  it('hold a call as it was written', async () => {
    const item = (id: string, args: string) => ({ completion: 'clean', items: [{ kind: 'call', id, name: 'weather', arguments: args }] })
    expect(await whole('anthropic-json-other-tool.1')).toMatchObject(
      item('toolu_01PQjhxo3eirCdKNvCJrKc8f', '{ "location": "San Francisco" }'),
    )
    expect(await streamed('anthropic-json-other-tool.1')).toMatchObject(
      item('toolu_019Zvehfe1XQWweT1pm7okyt', '{"location": "San Francisco"}'),
    )
  })

  it('hold a call without arguments, and take no text for one', async () => {
    const call = { kind: 'call', name: 'updateIssueList', arguments: '{}' }
    expect((await whole('anthropic-tool-no-args')).items).toMatchObject([{ kind: 'text' }, call])
    expect((await streamed('anthropic-tool-no-args')).items).toMatchObject([{ kind: 'text' }, call])
  })

  it('hold a refusal, with its reason where there is one', async () => {
    const reason = /violative cyber content/
    const refused = { completion: 'refused', items: [], refusal: expect.stringMatching(reason) }
    expect(await whole('anthropic-refusal')).toMatchObject(refused)
    expect(await streamed('anthropic-refusal')).toMatchObject(refused)
    const silent = await whole('anthropic-refusal-no-details')
    expect(silent).toMatchObject({ completion: 'refused', items: [] })
    expect(silent).not.toHaveProperty('refusal')
  })

  it('hold thinking, byte for byte', async () => {
    const name = 'anthropic-claude-opus-5-reasoning-high.1'
    const { content } = JSON.parse(recordedBody(`${name}.json`)) as { content: readonly object[] }
    const { items } = await whole(name)
    expect(items[0]).toEqual({ kind: 'opaque', value: { anthropic: content[0] } })
    expect(items[1]).toMatchObject({ kind: 'text' })
  })

  it("hold a provider's search: use, result and the text that cites it", async () => {
    const { items, completion } = await streamed('anthropic-web-search-tool.1', SEARCH)
    expect(completion).toBe('clean')
    expect(items.slice(0, 3)).toMatchObject([
      { kind: 'provider-tool', name: 'web_search', input: { query: 'tech news today September 26 2025' } },
      { kind: 'provider-tool', name: 'web_search', result: expect.any(Array) },
      { kind: 'text', text: expect.stringContaining('## Apple News') },
    ])
    expect(items[3]).toMatchObject({ kind: 'text', extra: { anthropic: { citations: [{ type: 'web_search_result_location' }, {}, {}] } } })
    expect(items[4]).toEqual({ kind: 'text', text: ' ' })
  })

  it('are no round where the provider called an MCP server', async () => {
    for (const ask of [whole, streamed])
      expect(await failureOf(ask('anthropic-mcp.1'))).toMatchObject({ code: 'model_protocol_violation', final: true })
  })

  it('are read once where the stream begins twice', async () => {
    const { items, completion } = await streamed('duplicate-message-start')
    expect({ items, completion }).toEqual({ items: [{ kind: 'text', text: 'Hello, World!' }], completion: 'clean' })
  })

  const streams = ['text', 'json-other-tool.1', 'tool-no-args', 'refusal', 'mcp.1'].map(name => `anthropic-${name}`)
  it.each([...streams, 'duplicate-message-start'])('give no round when %s is cut, wherever that is', async name => {
    const answer = events(recordedChunks(`${name}.chunks.txt`))
    for (let after = 0; after < answer.body.length; after += 1) {
      for (const by of ['end', 'reset'] as const) await failureOf(roundOf({ ...answer, broken: { after, by } }, true))
    }
  })
})
