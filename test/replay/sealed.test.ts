// Goal: secret arguments follow a call into a fork only under its own seal, and only the ones it was admitted with (D11).

import { Buffer } from 'node:buffer'
import { beforeEach, expect, test } from 'vitest'
import { sealContext } from '../../machines/beside.ts'
import { argumentsDigest } from '../../machines/digest.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Opening } from '../../machines/runtime/spawn.ts'
import { systemRandom } from '../../adapters/clock.ts'
import { createSealer } from '../../adapters/seal.ts'
import { openMemory } from '../../store/memory.ts'
import { forkOf, portsOver } from './forked.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import { keep, type Kept } from './kept.ts'

const sealer = createSealer(new Uint8Array(32).fill(1), systemRandom)
const secret: JsonObject = { id: 'sk-test-123' }
const masked = { arguments: { id: '[secret]' }, argumentsDigest: argumentsDigest(say.TURN_KEY, 'pay', secret), masked: true }

let store: Store

beforeEach(() => {
  store = openMemory()
})

const boxOf = (turnId: string, value: JsonObject) => sealer.seal(new TextEncoder().encode(JSON.stringify(value)), sealContext(turnId, 1))

/** A turn with one call whose arguments are masked, and a box beside it. */
async function masking(box: JsonObject, ...tellings: say.Telling[]): Promise<Kept> {
  const kept = await keep(store, [say.calls('pay')])
  const next = tellings.reduce(say.told, kept)
  await store.append({
    turnId: kept.turnId,
    expected: kept.state.version,
    head: kept.state.head,
    epoch: null,
    events: next.events.slice(kept.events.length),
    projection: { state: 'working', code: null, attempt: 1, tools: [], outcomes: [], wakeAt: null },
    sealed: { put: [{ ordinal: 1, box: boxOf(kept.turnId, box) }], drop: [] },
  })
  return { turnId: kept.turnId, ...next }
}

function opened({ turn }: Opening, context: string): JsonObject {
  const [put] = turn.sealed?.put ?? []
  if (put === undefined) throw new Error('nothing is sealed beside the fork')
  return JSON.parse(Buffer.from(sealer.open(put.box, context)).toString()) as JsonObject
}

test('they are sealed anew for the fork, and open for no other turn', async () => {
  const { events, turnId } = await masking(secret, say.held(1, masked))
  const fork = await forkOf(events, 3, portsOver(store, sealer))
  expect(opened(fork, sealContext(fork.turn.turnId, 1))).toEqual(secret)
  expect(() => opened(fork, sealContext(turnId, 1))).toThrow()
  expect(JSON.stringify(fork.turn.events)).not.toContain('sk-test-123')
})

test("they are lost where a person's edit took their place: the fork does not run what another turn was told", async () => {
  const edited = { ...masked, argumentsDigest: argumentsDigest(say.TURN_KEY, 'pay', { id: 'sk-test-456' }) }
  const { events } = await masking({ id: 'sk-test-456' }, say.held(1, masked), ends.granted(1, edited))
  const fork = await forkOf(events, 4, portsOver(store, sealer))
  expect(fork.turn.sealed).toBeUndefined()
  expect(fork.state.calls.get(1)?.prepared).toMatchObject(masked)
})

test('they are lost under another key, and without one', async () => {
  const { events } = await masking(secret, say.held(1, masked))
  const other = createSealer(new Uint8Array(32).fill(2), systemRandom)
  expect((await forkOf(events, 3, portsOver(store, other))).turn.sealed).toBeUndefined()
  expect((await forkOf(events, 3, portsOver(store))).turn.sealed).toBeUndefined()
})

test('they are not copied for a call that has its outcome', async () => {
  const { events } = await masking(secret, say.held(1, masked), ends.denied(1))
  expect((await forkOf(events, 4, portsOver(store, sealer))).turn.sealed).toBeUndefined()
})
