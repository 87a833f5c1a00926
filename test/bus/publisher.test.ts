// Goal: what is committed is published, in order, and said to be published only when the bus has it.

import { describe, expect, test } from 'vitest'
import { memoryBroker } from '../../bus/memory.ts'
import { readMessage } from '../../bus/message.ts'
import { publisher } from '../../bus/publisher.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Store } from '../../machines/ports/store.ts'
import { openMemory } from '../../store/memory.ts'
import { manualClock } from './manual-clock.ts'
import { appendTo, keptLog, looseEvents, openTurn, quiet, type Writing } from './world.ts'

function begin() {
  const broker = memoryBroker()
  const store = openMemory()
  const clock = manualClock()
  const log = keptLog()
  const told: { turnId: string; version: number }[] = []
  /** The real store; what it is told is seen on the way. */
  const watched = {
    ...store,
    acknowledge: (published: readonly { turnId: string; version: number }[]) => {
      told.push(...published)
      return store.acknowledge(published)
    },
  }
  const another = () => publisher({ store: watched, bus: broker.open(quiet), clock, log })
  return { broker, store, clock, log, told, another, outbox: another() }
}

type World = ReturnType<typeof begin>

const kept = ({ broker }: World) => broker.kept('turns').map(({ id }) => id)
const ids = (events: readonly StoredEvent[]) => events.map(({ turnId, version }) => `${turnId}:${version}`)

/** Appends as an owner does: what was published so far is carried along, what was committed is told. */
async function commit({ store, outbox }: World, turn: Writing, count: number): Promise<Writing> {
  const longer = await appendTo(store, turn, count, { published: outbox.published(turn.turnId) })
  outbox.committed(longer.events.slice(turn.events.length), {})
  return longer
}

describe('the publisher', () => {
  test('has one unacknowledged message of a turn on its way, and says `published` by acknowledgement only', async () => {
    const world = begin()
    const { broker, store, clock, outbox } = world
    broker.slow(true)
    const turn = await appendTo(store, await openTurn(store), 2)
    outbox.committed(turn.events, {})
    await clock.settle()
    expect(kept(world)).toEqual(ids(turn.events.slice(0, 1)))
    expect(outbox.published(turn.turnId)).toBe(0)
    broker.slow(false)
    await clock.settle()
    expect(kept(world)).toEqual(ids(turn.events))
    expect(outbox.published(turn.turnId)).toBe(3)
  })

  test('sends many turns at a time, and not more than 256', async () => {
    const { broker, clock, outbox } = begin()
    broker.slow(true)
    const turns = Array.from({ length: 300 }, () => looseEvents(2))
    for (const events of turns) outbox.committed(events, {})
    await clock.settle()
    expect(new Set(broker.kept('turns').map(({ headers }) => headers['ce-subject'])).size).toBe(256)
    broker.slow(false)
    await clock.settle()
    expect(broker.kept('turns')).toHaveLength(600)
  })

  test('after an outage goes on from the store, in order, also with more than it keeps in memory', async () => {
    const world = begin()
    const { broker, store, clock, outbox, log } = world
    const opened = await openTurn(store)
    outbox.committed(opened.events, {})
    await clock.settle()
    broker.outage(true)
    let turn = opened
    for (let append = 0; append < 30; append += 1) turn = await commit(world, turn, 10)
    await clock.tick(5000)
    expect(kept(world)).toEqual(ids(opened.events))
    broker.outage(false)
    await clock.tick(30_000)
    expect(kept(world)).toEqual(ids(turn.events))
    expect(log.lines.filter(line => line.includes('could not be published'))).toHaveLength(1)
  })

  test('what is committed while the publisher is about to rest is published, at whatever moment it comes', async () => {
    const world = begin()
    const { store, clock, outbox } = world
    for (let moment = 0; moment < 40; moment += 1) {
      const turn = await appendTo(store, await openTurn(store), 1)
      outbox.committed(turn.events.slice(0, 1), {})
      for (let step = 0; step < moment; step += 1) await Promise.resolve()
      outbox.committed(turn.events.slice(1), {})
      await clock.settle()
      expect(kept(world).slice(-2)).toEqual(ids(turn.events))
    }
  })

  test('one turn that cannot be published does not hold up the others', async () => {
    const world = begin()
    const { clock, outbox, store } = world
    const lost = looseEvents(3)
    outbox.committed(lost.slice(2), {}) // its first versions are in no store
    const turn = await openTurn(store)
    outbox.committed(turn.events, {})
    await clock.tick(120_000)
    expect(kept(world)).toEqual(ids(turn.events))
  })

  test('an owner that took a turn over begins behind what its predecessor got acknowledged', async () => {
    const world = begin()
    const { store, clock, another } = world
    const turn = await appendTo(store, await openTurn(store), 4)
    await store.acknowledge([{ turnId: turn.turnId, version: 2 }])
    const longer = await appendTo(store, turn, 2)
    another().committed(longer.events.slice(5), {})
    await clock.settle()
    expect(kept(world)).toEqual(ids(longer.events.slice(2)))
  })

  test('events that others appended in between are read from the store, those told twice are sent once', async () => {
    const world = begin()
    const { store, clock, outbox } = world
    const opened = await openTurn(store)
    outbox.committed(opened.events, {})
    const turn = await appendTo(store, opened, 5)
    outbox.committed(turn.events.slice(4), {})
    outbox.committed(turn.events.slice(1, 5), {})
    outbox.committed(turn.events, {})
    await clock.settle()
    expect(kept(world)).toEqual(ids(turn.events))
  })

  test('of two writers at one version, only the event that is in the store goes out (B114)', async () => {
    const world = begin()
    const { store, clock } = world
    const opened = await openTurn(store)
    const writers = await Promise.allSettled([commit(world, opened, 1), commit(world, opened, 2)])
    await clock.settle()
    expect(writers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const stored = new Map((await store.read(opened.turnId)).map(event => [`${event.turnId}:${event.version}`, event.hash]))
    for (const { id, body } of world.broker.kept('turns')) {
      const received = readMessage(body)
      expect(received.kind === 'event' && received.event.hash).toBe(stored.get(id))
    }
  })
})

describe('what was acknowledged', () => {
  test('is carried by the next append, and then costs the store nothing more', async () => {
    const world = begin()
    const { store, clock, told, outbox } = world
    let turn = await openTurn(store)
    outbox.committed(turn.events, {})
    await clock.settle()
    for (let append = 0; append < 20; append += 1) {
      turn = await commit(world, turn, 2)
      expect((await store.turn(turn.turnId))?.published).toBe(turn.events.length - 2)
      await clock.tick(100)
    }
    expect(told).toEqual([])
  })

  test('and carried is not told again, also when the bus then goes away', async () => {
    const world = begin()
    const { broker, store, clock, told, outbox } = world
    const turn = await openTurn(store)
    outbox.committed(turn.events, {})
    await clock.settle()
    broker.outage(true)
    await commit(world, turn, 1)
    await clock.tick(10_000)
    expect([told, (await store.turn(turn.turnId))?.published]).toEqual([[], 1])
  })

  test('and not carried by any append is told in one group, at most twice a second', async () => {
    const world = begin()
    const { store, clock, told, outbox } = world
    const turns = await Promise.all(Array.from({ length: 5 }, () => openTurn(store)))
    for (const { events } of turns) outbox.committed(events, {})
    await clock.tick(399)
    expect(told).toEqual([])
    await clock.tick(1)
    expect(told.map(({ turnId }) => turnId).toSorted()).toEqual(turns.map(({ turnId }) => turnId).toSorted())
    await clock.tick(10_000)
    expect(told).toHaveLength(5)
    expect(await store.unpublished(0, 10)).toEqual([])
  })

  test('is told when the publisher closes, and nothing is taken after that', async () => {
    const world = begin()
    const { store, clock, outbox } = world
    const turn = await openTurn(store)
    outbox.committed(turn.events, {})
    await clock.settle()
    await outbox.close()
    expect((await store.turn(turn.turnId))?.published).toBe(1)
    await commit(world, turn, 1)
    await clock.tick(10_000)
    expect(kept(world)).toEqual(ids(turn.events))
  })

  test('is told again when the store was away', async () => {
    const { broker, store, clock, log } = begin()
    let away = true
    const acknowledge: Store['acknowledge'] = published => (away ? Promise.reject(new Error('away')) : store.acknowledge(published))
    const outbox = publisher({ store: { ...store, acknowledge }, bus: broker.open(quiet), clock, log })
    const turn = await openTurn(store)
    outbox.committed(turn.events, {})
    await clock.tick(1000)
    expect((await store.turn(turn.turnId))?.published).toBe(0)
    away = false
    await clock.tick(1000)
    expect((await store.turn(turn.turnId))?.published).toBe(1)
  })
})
