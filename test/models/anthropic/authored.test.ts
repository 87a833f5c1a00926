// Goal: a response is the same round in one piece and as a stream, and no part of a stream is any round. These recordings are the
// project's own, so this always runs.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../../adapters/models/anthropic.ts'
import type { ModelRequest, ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { openWire, type Answer } from '../wire.ts'
import { events } from './driver.ts'

const read = (name: string) => readFileSync(new URL(`../recordings/anthropic/${name}`, import.meta.url), 'utf8')
const whole = (name: string): Answer => ({ body: read(`${name}.json`) })
const streamed = (name: string): Answer => events(read(`${name}.chunks.txt`).trimEnd().split('\n'))

const request: ModelRequest = { ...REQUEST, providerTools: [{ name: 'search', replayPolicy: 'read-only' }] }

async function roundOf(answer: Answer, stream: boolean): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(answer)
  const providerTools = { search: { type: 'web_search_20250305', name: 'web_search' } }
  const model = anthropic('claude-test', { baseURL: wire.url, apiKey: 'key-of-nobody', stream, providerTools })
  return await model.ask(request, askContext())
}

describe.each(['thinking-and-two-calls', 'search-and-citation'])('%s', name => {
  it('is one round, streamed and whole', async () => {
    expect(await roundOf(streamed(name), true)).toEqual(await roundOf(whole(name), false))
  })

  it('is no round when its stream is cut, wherever that is', async () => {
    const answer = streamed(name)
    for (let after = 0; after < answer.body.length; after += 1) {
      for (const by of ['end', 'reset'] as const) {
        const failure = await failureOf(roundOf({ ...answer, broken: { after, by } }, true))
        expect(failure, `after ${after}, by ${by}`).toMatchObject({ kind: 'reset', code: 'model_unavailable', final: false })
      }
    }
  })
})

const direct = { anthropic: { caller: { type: 'direct' } } }

it('thinking and calls are kept as they were written', async () => {
  const call = (id: string, name: string, args: string) => ({ kind: 'call', id, name, arguments: args, extra: direct })
  expect(await roundOf(whole('thinking-and-two-calls'), false)).toEqual({
    completion: 'clean',
    stop: 'tool_use',
    items: [
      {
        kind: 'opaque',
        value: {
          anthropic: {
            type: 'thinking',
            thinking: 'Two orders, so I look at both.\nThe second id is long.',
            signature: 'EqkBCkYIBxgCKkA/+a1Zk==',
          },
        },
      },
      { kind: 'opaque', value: { anthropic: { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a==' } } },
      { kind: 'text', text: 'I look at both orders. — “Gleich.” 👀' },
      call('toolu_0001', 'find_order', '{"id": "42", "note": "a\\u0041\\u00fc"}'),
      call('toolu_0002', 'find_order', '{"id": 9223372036854775807}'),
      call('toolu_0003', 'list_orders', '{}'),
    ],
    usage: { inputTokens: 1_620, outputTokens: 96, cachedTokens: 1_200 },
  })
})

it("a provider's search is kept under the turn's name for it, use and result apart", async () => {
  const { items, usage } = await roundOf(streamed('search-and-citation'), true)
  expect(items.slice(0, 2)).toMatchObject([
    { kind: 'provider-tool', name: 'search', id: 'srvtoolu_0001', input: { query: 'refund within 30 days' } },
    { kind: 'provider-tool', name: 'search', id: 'srvtoolu_0001', result: [{ encrypted_content: 'EqgfCioIARgBIiQ3==' }] },
  ])
  expect(items.slice(2).map(item => [item.kind, 'extra' in item])).toEqual([
    ['text', false],
    ['text', false],
    ['text', true],
    ['text', false],
  ])
  expect(usage).toEqual({ inputTokens: 3_100, outputTokens: 80, cachedTokens: 0 })
})
