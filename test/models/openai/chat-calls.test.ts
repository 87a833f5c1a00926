// Goal: however a server numbers and names the pieces of its calls, no two calls become one; where nobody can say what belongs to what,
// there is no round.

import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../../adapters/models/openai.ts'
import type { JsonObject } from '../../../machines/json.ts'
import type { ModelRound } from '../../../machines/ports/model.ts'
import { askContext, failureOf, REQUEST } from '../asking.ts'
import { openWire } from '../wire.ts'
import { chunk, chunks } from './chat-driver.ts'

async function stream(of: readonly JsonObject[]): Promise<ModelRound> {
  await using wire = await openWire()
  wire.answer(chunks(of))
  return await openaiChat('test-model', { baseURL: wire.url }).ask(REQUEST, askContext())
}

/** Pieces of calls as servers send them, and the calls that they are: `null` where nobody can say. */
const PIECES: Readonly<Record<string, { readonly pieces: readonly JsonObject[]; readonly calls: readonly string[] | null }>> = {
  'numbered, in pieces between each other': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '' } },
      { index: 1, id: 'b', function: { name: 'r', arguments: '{"p"' } },
      { index: 0, function: { arguments: '{"p":' } },
      { index: 1, function: { arguments: ':2}' } },
      { index: 0, function: { arguments: '1}' } },
    ],
    calls: ['a r {"p":1}', 'b r {"p":2}'],
  },
  'all under one number': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p":1}' } },
      { index: 0, id: 'b', function: { name: 'r', arguments: '{"p":2}' } },
    ],
    calls: ['a r {"p":1}', 'b r {"p":2}'],
  },
  'all under one number, one after the other in pieces': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p":' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 0, id: 'b', function: { name: 'r', arguments: '' } },
      { index: 0, function: { arguments: '{"p":2}' } },
    ],
    calls: ['a r {"p":1}', 'b r {"p":2}'],
  },
  'all under one number, the first one unfinished': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p":1' } },
      { index: 0, id: 'b', function: { name: 'r', arguments: '{"p":2' } },
      { index: 0, function: { arguments: ',"q":3}' } },
    ],
    calls: null,
  },
  'without numbers': {
    pieces: [
      { id: 'a', function: { name: 'r', arguments: '{"p":1}' } },
      { id: 'b', function: { name: 'r', arguments: '{"p":2}' } },
    ],
    calls: ['a r {"p":1}', 'b r {"p":2}'],
  },
  'without numbers or ids, for one call': {
    pieces: [{ function: { name: 'r', arguments: '{"p"' } }, { function: { arguments: ':1}' } }],
    calls: ['null r {"p":1}'],
  },
  'with the id in every piece': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p"' } },
      { index: 0, id: 'a', function: { name: 'r', arguments: ':1}' } },
      { index: 0, id: 'a', function: { name: '', arguments: '' } },
    ],
    calls: ['a r {"p":1}'],
  },
  'with one id for two calls': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p":1}' } },
      { index: 1, id: 'a', function: { name: 'r', arguments: '{"p":2}' } },
    ],
    calls: ['a r {"p":1}', 'a r {"p":2}'],
  },
  'with whole objects in every piece': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{}' } },
      { index: 0, function: { arguments: '{"stock":"MSFT"}' } },
    ],
    calls: ['a r {}{"stock":"MSFT"}'],
  },
  'of two calls without ids under one number': {
    pieces: [
      { index: 0, function: { name: 'r', arguments: '{"p":1}' } },
      { index: 0, function: { name: 'r', arguments: '{"p":2}' } },
    ],
    calls: ['null r {"p":1}', 'null r {"p":2}'],
  },
  'with the name in every piece': {
    pieces: [
      { index: 0, function: { name: 'r', arguments: '{"p"' } },
      { index: 0, function: { name: 'r', arguments: ':1}' } },
      { index: 0, function: { name: 'r', arguments: '' } },
    ],
    calls: ['null r {"p":1}'],
  },
  'with an id that comes late, or is that of another call': {
    pieces: [
      { index: 0, function: { name: 'r', arguments: '' } },
      { index: 0, id: 'a', function: { name: 'r', arguments: '{"p":1}' } },
    ],
    calls: null,
  },
  'of the older form': {
    pieces: [],
    calls: ['null r {"p":1}'],
  },
  'that change the name': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '' } },
      { index: 0, function: { name: 's', arguments: '{}' } },
    ],
    calls: null,
  },
  'of a call that nobody began': { pieces: [{ index: 0, function: { arguments: '{"p":1}' } }], calls: null },
  'of an older call under a number that was given on': {
    pieces: [
      { index: 0, id: 'a', function: { name: 'r', arguments: '{}' } },
      { index: 0, id: 'b', function: { name: 'r', arguments: '{}' } },
      { index: 0, id: 'a', function: { arguments: '{}' } },
    ],
    calls: null,
  },
  'whose arguments are no text': { pieces: [{ index: 0, id: 'a', function: { name: 'r', arguments: { p: 1 } } }], calls: null },
  'of another type': { pieces: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'r', input: 'x' } }], calls: null },
  'of another type, beside a function': {
    pieces: [{ index: 0, id: 'a', type: 'mcp', function: { name: 'r', arguments: '{}' } }],
    calls: null,
  },
}

describe('pieces of calls', () => {
  it.each(Object.entries(PIECES))('%s', async (name, { pieces, calls }) => {
    const old = name === 'of the older form' ? [{ name: 'r' }, { arguments: '{"p"' }, { arguments: ':1}' }] : []
    const deltas = [...pieces.map(piece => ({ tool_calls: [piece] })), ...old.map(piece => ({ function_call: piece }))]
    const asked = stream([...deltas.map(delta => chunk(delta)), chunk({}, 'tool_calls')])
    if (calls === null) return expect(await failureOf(asked)).toMatchObject({ code: 'model_protocol_violation', final: true })
    const { items } = await asked
    expect(items.map(item => (item.kind === 'call' ? `${item.id} ${item.name} ${item.arguments}` : item.kind))).toEqual(calls)
  })

  it('may all come in one chunk', async () => {
    const all = PIECES['numbered, in pieces between each other']?.pieces ?? []
    const { items } = await stream([chunk({ tool_calls: all }), chunk({}, 'tool_calls')])
    expect(items).toHaveLength(2)
  })
})
