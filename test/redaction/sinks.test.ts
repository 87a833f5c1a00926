// A secret that the host named leaves through no sink, wherever it came from.

import { expect, test } from 'vitest'
import type { ModelRound } from '../../index.ts'
import { ANA, FIRST, LANE, openHouse, REST, SECRET, type Answer, type House } from './house.ts'

type Item = ModelRound['items'][number]

const text = (said: string): Item => ({ kind: 'text', text: said })
const call = (name: string): Item => ({ kind: 'call', id: `id ${SECRET}`, name, arguments: JSON.stringify({ note: SECRET }) })
const round = (completion: ModelRound['completion'], ...items: readonly Item[]): Answer => ({ completion, stop: `stop ${SECRET}`, items })

/** Nothing that left holds the secret, or the longer part of it that a cut would leave; and every sink was used. */
async function expectSealed(house: House, used: readonly string[]): Promise<void> {
  const sinks = await house.sinks()
  for (const [sink, said] of sinks) {
    expect(said.includes(SECRET), `${sink} holds the secret: ${around(said)}`).toBe(false)
    expect(said.includes(encodeURIComponent(SECRET)) || said.includes(Buffer.from(SECRET).toString('base64')), sink).toBe(false)
  }
  for (const sink of used) expect(sinks.get(sink), sink).toContain('[redacted]')
  await house.runtime.close()
}

function around(said: string): string {
  const at = said.indexOf(SECRET)
  return at === -1 ? '' : said.slice(Math.max(0, at - 120), at + 60)
}

test('of a turn with calls, people and a provider tool', async () => {
  const house = await openHouse([
    round('clean', text(`I know ${FIRST}`), text(`${REST} well.`), call('write'), call(`no ${SECRET}`)),
    round('clean', call('look'), call('fail')),
    round('clean', call('ask_user')),
    round('paused', { kind: 'provider-tool', name: 'web', id: SECRET, input: { q: SECRET }, result: [SECRET] }, text(`It is ${FIRST}`)),
    round('clean', text(`${REST}. Done.`)),
  ])
  const { runtime, give } = house
  const spawned = { principal: ANA, key: `key ${SECRET}`, labels: { note: `label ${SECRET}` } }
  const turn = await runtime.spawn({ ...spawned, input: `Use ${SECRET}.` })
  const events = follow(turn.events({ progress: true }))
  expect((await turn.result()).state).toBe('holding')
  const [hold] = (await runtime.approvals()).approvals
  await give(runtime.decide(hold?.approvalId ?? '', { decision: SECRET }, LANE))
  await give(runtime.deny(hold?.approvalId ?? '', { ...LANE, reason: `${'x'.repeat(1_990)}${SECRET}` }))
  expect((await turn.result()).state).toBe('asking')
  await give(runtime.answer(turn.id, { ...LANE, answer: { it: SECRET } }))
  const result = await give(turn.result())
  expect(result).toMatchObject({ state: 'completed', output: { text: `It is ${FIRST}[redacted]. Done.` } })
  await give(runtime.spawn({ ...spawned, input: 'Another one.' }))
  expect((await runtime.spawn({ ...spawned, input: `Use ${SECRET}.` })).id).toBe(turn.id)
  const all = await events
  const told = JSON.stringify(all)
  expect(all.map(textOf).join('')).not.toContain(SECRET)
  expect(told).toContain('"progress"')
  expect(told).not.toContain(SECRET)
  // Half of it may stand only where a round had ended before the other half was said.
  expect((await house.sinks()).get('export')).not.toContain(`x${SECRET.slice(0, 4)}`)
  await expectSealed(house, ['export', 'bus', 'progress', 'log', 'list', 'approvals', 'show and messages', 'requests', 'callers'])
})

test('of blocks that a provider signs: they are left out, and those without it stay as they are', async () => {
  const signed = { type: 'thinking', thinking: 'I know.', signature: 'c2ln', token: 'w-81f2' }
  const house = await openHouse([
    round(
      'clean',
      { kind: 'opaque', value: { type: 'thinking', thinking: [`It is ${SECRET}.`], signature: 'c2ln' } },
      { kind: 'opaque', value: signed },
      { kind: 'text', text: 'Kept.', extra: { id: SECRET } },
      { kind: 'text', text: ' Both.', extra: { id: 'msg_1' } },
      { kind: 'provider-tool', name: 'web', id: 's1', input: {}, extra: { [SECRET]: 1 } },
      { ...call('look'), extra: { signature: SECRET } } as Item,
    ),
    round('clean', text('Done.')),
  ])
  const turn = await house.runtime.spawn({ input: 'Say it.', principal: ANA })
  expect((await turn.result()).state).toBe('completed')
  const rounds = (await follow(turn.events())).flatMap(event => (event.type === 'round.recorded' ? [event] : []))
  expect(rounds[0]?.data.anomalies).toContain('opaque-block-with-secret-left-out')
  expect(rounds[0]?.data.items.map(({ kind, ...item }) => [kind, 'extra' in item ? item.extra : null])).toEqual([
    ['opaque', null],
    ['text', null],
    ['text', { id: 'msg_1' }],
    ['provider-tool', null],
    ['call', null],
  ])
  expect(rounds[0]?.data.items[0]).toEqual({ kind: 'opaque', value: signed })
  await expectSealed(house, ['export'])
})

test('of a structured output, in its value and in its text', async () => {
  const said = JSON.stringify({ password: 12_345, note: `it is ${SECRET}`, pin: 'abc' })
  const house = await openHouse([round('clean', text(said.slice(0, 40)), text(said.slice(40)))])
  const schema = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } }
  const turn = await house.runtime.spawn({ input: 'Say it.', principal: ANA, output: { schema } })
  const { output } = await turn.result()
  const value = { password: '[redacted]', note: 'it is [redacted]', pin: '[redacted]' }
  expect(output?.value).toEqual(value)
  expect(JSON.parse(output?.text ?? '')).toEqual(value)
  await expectSealed(house, ['export', 'show and messages'])
})

test('of a model that fails with it, and its message is bounded', async () => {
  const failure = { modelFailure: true, kind: 'protocol', final: true, code: 'model_unavailable' }
  const house = await openHouse([{ throws: { ...failure, message: `${SECRET}${'x'.repeat(490)}${SECRET}${'x'.repeat(1_000)}` } }])
  const turn = await house.runtime.spawn({ input: 'Say it.', principal: ANA })
  expect((await turn.result()).state).toBe('failed')
  for await (const event of turn.events()) if (event.type === 'turn.failed') expect(event.data.message.length).toBeLessThanOrEqual(500)
  await expectSealed(house, ['export'])
})

/** The text of a delta. */
function textOf(event: object): string {
  const { type, data } = event as { readonly type: string; readonly data: { readonly kind?: string; readonly text?: string } }
  return type === 'progress' && data.kind === 'text' ? (data.text ?? '') : ''
}

async function follow<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}
