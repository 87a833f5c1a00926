// Goal: a consumer's place outlives its process, is one for all its replicas, and stays small.

import { describe, expect, test } from 'vitest'
import { subscribe } from '../../bus/consumer.ts'
import { placeName, type Seen } from '../../bus/consumer-position.ts'
import { begin, keep, MINUTE_MS, send, type ConsumerWorld } from './consumer-world.ts'
import { manualClock } from './manual-clock.ts'
import type { Bus } from '../../machines/ports/bus.ts'
import { appendTo, openTurn, type Writing } from './world.ts'

/** What a reader has handled so far, as entries of a place. */
function seenOf(reader: Awaited<ReturnType<typeof keep>>, turns: readonly Writing[]): [string, number][] {
  return turns.filter(turn => reader.of(turn).length > 0).map(turn => [turn.turnId, 1])
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** The place of the consumer as it stands in the store. */
async function place({ store }: ConsumerWorld): Promise<{ since: number; turns: [string, number][] }> {
  return JSON.parse((await store.cursor(placeName('reader'))) ?? 'null') as { since: number; turns: [string, number][] }
}

describe('a consumer that comes back', () => {
  test('goes on where it was, also with what was committed meanwhile and is not on the bus', async () => {
    const world = begin()
    const first = await keep(world)
    const turn = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, turn.events)
    await world.clock.settle()
    await first.close()
    const longer = await appendTo(world.store, turn, 3)
    const second = await keep(world)
    expect([first.of(longer), second.of(longer)]).toEqual([upTo(4), [5, 6, 7]])
    await second.close()
  })

  test('after a crash is given again at most what it handled in the last moment', async () => {
    const world = begin()
    const dying = { ...world, clock: manualClock() }
    dying.ports = { ...world.ports, clock: dying.clock }
    const first = await keep(dying)
    const turn = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, turn.events)
    await dying.clock.tick(1000) // written
    const longer = await appendTo(world.store, turn, 1)
    await send(world.bus, longer.events.slice(4))
    await dying.clock.settle() // handled; its clock stands still from here on: the process is dead
    const second = await keep(world)
    await world.clock.tick(MINUTE_MS)
    expect(first.of(longer)).toEqual(upTo(5))
    expect([[], [5]]).toContainEqual(second.of(longer))
    await second.close()
  })

  test('much later still knows a turn that wakes up, although it kept no entry of it', async () => {
    const world = begin()
    const reader = await keep(world)
    const turn = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, turn.events)
    await world.clock.tick(5 * MINUTE_MS)
    expect((await place(world)).turns).toEqual([])
    await world.clock.tick(60 * MINUTE_MS)
    const longer = await appendTo(world.store, turn, 2)
    await send(world.bus, [longer.events[5], longer.events[0]])
    await world.clock.tick(5 * MINUTE_MS)
    expect(reader.of(longer)).toEqual(upTo(6))
    await reader.close()
  })

  test('keeps an entry of what it could not handle, and handles it when it can', async () => {
    const world = begin()
    let well = false
    const stuck = await openTurn(world.store)
    const handle = ({ turnId }: { turnId: string }) => {
      if (turnId === stuck.turnId && !well) throw new Error('not yet')
    }
    const first = await keep(world, { from: 'start' }, handle)
    for (let minute = 0; minute < 10; minute += 1) {
      await send(world.bus, (await openTurn(world.store)).events)
      await world.clock.tick(MINUTE_MS)
    }
    const { turns } = await place(world)
    expect(turns.length).toBeLessThan(6)
    expect(turns).toContainEqual([stuck.turnId, 0])
    await first.close()
    well = true
    const second = await keep(world, { from: 'start' }, handle)
    await world.clock.tick(2 * MINUTE_MS)
    expect(second.seen).toEqual([`${stuck.turnId}:1`])
    await second.close()
  })
})

describe('replicas of one consumer', () => {
  test('are given each event once, in order, and one takes over when the other goes', async () => {
    const world = begin()
    const first = await keep(world)
    const second = await keep(world)
    const turn = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, turn.events)
    await world.clock.settle()
    await first.close()
    const longer = await appendTo(world.store, turn, 2)
    await send(world.bus, longer.events.slice(4))
    await world.clock.tick(10_000)
    expect([...first.of(longer), ...second.of(longer)]).toEqual(upTo(6))
    await second.close()
  })

  test('a handler that takes longer than the ack wait works once for each event (B116)', async () => {
    const world = begin(1000)
    const pace = { leaseMs: 15_000, proveMs: MINUTE_MS, workingMs: 300 }
    const handled: string[] = []
    const counts: number[] = []
    const consume: Bus['consume'] = (name, options, handler) =>
      world.bus.consume(name, options, delivery => {
        counts.push(delivery.count)
        return handler(delivery)
      })
    const replica = () =>
      subscribe(
        { ...world.ports, bus: { consume } },
        { name: 'slow', from: 'new' },
        async ({ turnId }) => {
          handled.push(turnId)
          await world.clock.sleep(3000)
        },
        pace,
      )
    const [first, second] = await Promise.all([replica(), replica(), world.clock.tick(1000)])
    const turns: Writing[] = []
    for (let turn = 0; turn < 10; turn += 1) turns.push(await openTurn(world.store))
    await send(
      world.bus,
      turns.flatMap(({ events }) => events),
    )
    const longer = await appendTo(world.store, turns[0] as Writing, 3)
    await send(world.bus, longer.events.slice(1))
    await world.clock.tick(20_000)
    expect(handled.toSorted()).toEqual([...turns, longer, longer, longer].map(({ turnId }) => turnId).toSorted())
    expect(Math.max(...counts)).toBe(1) // signs of life kept each message with the one at work
    await Promise.all([first.close(), second.close(), world.clock.tick(1000)])
  })

  test('one whose process stood still for longer than its lease neither handles nor writes when it goes on', async () => {
    const world = begin()
    const frozen = { ...world, clock: manualClock() }
    frozen.ports = { ...world.ports, clock: frozen.clock }
    const first = await keep(frozen)
    const before = await appendTo(world.store, await openTurn(world.store), 1)
    for (const event of before.events) {
      await send(world.bus, [event])
      await frozen.clock.settle()
    }
    const second = await keep(world)
    const found = await openTurn(world.store) // by the second one alone: it is not on the bus
    await world.clock.tick(MINUTE_MS)
    frozen.clock.leap(MINUTE_MS)
    const late = await Promise.all([openTurn(world.store), openTurn(world.store)])
    await send(
      world.bus,
      late.flatMap(({ events }) => events),
    )
    await frozen.clock.tick(5000)
    expect(new Map((await place(world)).turns)).toEqual(new Map([[before.turnId, 2], [found.turnId, 1], ...seenOf(second, late)]))
    expect([first.of(before), first.seen.length]).toEqual([[1, 2], 2])
    await world.clock.tick(10_000)
    expect(late.map(turn => second.of(turn))).toEqual([[1], [1]])
    await second.close()
  })

  test('one that is told that another one leads stops at once', async () => {
    const world = begin()
    const reader = await keep(world)
    world.database.leads.set(placeName('reader'), { worker: 'another', until: Infinity })
    await world.clock.tick(6000)
    await send(world.bus, (await openTurn(world.store)).events)
    await world.clock.tick(1000)
    expect(reader.seen).toEqual([])
    await reader.close()
  })
})

describe('a place that is kept with the effect', () => {
  /** A table of the consumer's own: effect and version in one transaction. */
  function ownTable() {
    const rows = new Map<string, { version: number; effects: number }>()
    const write = (turnId: string, version: number, effects: number) => {
      const row = rows.get(turnId) ?? { version: 0, effects: 0 }
      if (version > row.version) rows.set(turnId, { version, effects: row.effects + effects })
    }
    const seen: Seen = {
      version: async turnId => rows.get(turnId)?.version ?? null,
      advance: async (turnId, version) => write(turnId, version, 0),
    }
    return { rows, write, seen }
  }

  test('has every effect once, also when the process dies between effect and acknowledgement', async () => {
    const world = begin()
    const { rows, write, seen } = ownTable()
    const dying = { ...world, clock: manualClock() }
    dying.ports = { ...world.ports, clock: dying.clock }
    await keep(dying, { seen }, async ({ turnId, version }) => {
      write(turnId, version, 1)
      if (version === 3) await new Promise(() => {}) // dies here
    })
    const turn = await appendTo(world.store, await openTurn(world.store), 4)
    await send(world.bus, turn.events)
    await dying.clock.tick(1000)
    const second = await keep(world, { seen }, ({ turnId, version }) => write(turnId, version, 1))
    await world.clock.tick(2 * MINUTE_MS)
    expect(second.of(turn)).toEqual([4, 5])
    expect(rows.get(turn.turnId)).toEqual({ version: 5, effects: 5 })
    await second.close()
  })

  test('is told what the filter passed over', async () => {
    const world = begin()
    const { rows, write, seen } = ownTable()
    const reader = await keep(world, { seen, types: ['turn.completed'] }, ({ turnId, version }) => write(turnId, version, 1))
    const turn = await appendTo(world.store, await openTurn(world.store), 3, { ends: true })
    await send(world.bus, turn.events)
    await world.clock.settle()
    expect(rows.get(turn.turnId)).toEqual({ version: 4, effects: 1 })
    await reader.close()
  })

  test('is believed over the place in the store', async () => {
    const world = begin()
    const { rows, write, seen } = ownTable()
    const handle = ({ turnId, version }: { turnId: string; version: number }) => write(turnId, version, 1)
    const first = await keep(world, { seen }, handle)
    const turn = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, turn.events)
    await world.clock.settle()
    await first.close()
    rows.set(turn.turnId, { version: 2, effects: 2 }) // restored from a backup
    const second = await keep(world, { seen }, handle)
    expect(second.of(turn)).toEqual([3, 4])
    await second.close()
  })
})

test('an aborted signal closes a consumer', async () => {
  const world = begin()
  const stop = new AbortController()
  const reader = await keep(world, { signal: stop.signal })
  stop.abort()
  await world.clock.tick(1000)
  const turn = await openTurn(world.store)
  await send(world.bus, turn.events)
  await world.clock.tick(5 * MINUTE_MS)
  expect(reader.seen).toEqual([])
})

test('closing waits for the handler at work, and not for ever', async () => {
  const world = begin()
  const stuck = await keep(world, {}, () => new Promise(() => {}))
  await send(world.bus, (await openTurn(world.store)).events)
  await world.clock.settle()
  let closed = false
  const closing = stuck.close().then(() => (closed = true))
  await world.clock.tick(20_000)
  expect(closed).toBe(false)
  await world.clock.tick(MINUTE_MS)
  await closing
})
