// Goal: what an owner leaves unpublished is published by one relay of all, and nobody's mistake can turn first copies around.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryBroker } from '../../bus/memory.ts'
import { publisher, type Publisher } from '../../bus/publisher.ts'
import { relay } from '../../bus/relay.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { manualClock } from './manual-clock.ts'
import { appendTo, openTurn, quiet, type Writing } from './world.ts'

const HOUR_MS = 3_600_000

/** The store's clock and the processes' clock are one, so that leases and lags pass with it. */
function begin() {
  const clock = manualClock()
  const store = openMemory(memoryDatabase({ epochMs: () => 1_800_000_000_000 + clock.monotonic() }))
  const broker = memoryBroker()
  const ports = { store, bus: broker.open(quiet), clock, log: quiet }
  return { clock, store, broker, ports }
}

type World = ReturnType<typeof begin>

const ids = (events: readonly StoredEvent[]) => events.map(({ turnId, version }) => `${turnId}:${version}`)
const keptOf = ({ broker }: World, { turnId }: Writing) =>
  broker
    .kept('turns')
    .map(({ id }) => id)
    .filter(id => id.startsWith(turnId))

async function owned({ store }: World, worker: string, turn: Writing): Promise<number> {
  await store.enlist(worker, HOUR_MS)
  const [claimed] = await store.claim({ worker, count: 1, runtime: 'default', tools: [], format: 1, turnId: turn.turnId })
  return claimed?.epoch ?? 0
}

describe('the relay', () => {
  test('publishes what a crash left behind, in order, with the labels of the turn, and raises `published`', async () => {
    const world = begin()
    const { clock, store, broker, ports } = world
    const turn = await appendTo(store, await openTurn(store, { labels: { conversation: 'c-9' } }), 150)
    await store.acknowledge([{ turnId: turn.turnId, version: 2 }])
    const running = relay(ports, 'r1')
    await clock.tick(2000)
    expect(keptOf(world, turn)).toEqual(ids(turn.events.slice(2)))
    expect(broker.kept('turns')[0]?.headers['toolturn-labels']).toBe('{"conversation":"c-9"}')
    expect((await store.turn(turn.turnId))?.published).toBe(151)
    await clock.tick(1000)
    expect(running.status()).toEqual({ leads: true, turns: 0, versions: 0 })
    await running.close()
  })

  test('leaves a turn to a living owner until it ends, and gives a new event a second', async () => {
    const world = begin()
    const { clock, store, ports } = world
    const opened = await openTurn(store)
    const epoch = await owned(world, 'w1', opened)
    const running = relay(ports, 'r1')
    await clock.tick(10_000)
    expect(keptOf(world, opened)).toEqual([])
    const ended = await appendTo(store, opened, 2, { epoch, ends: true })
    await clock.tick(900)
    expect(keptOf(world, opened)).toEqual([])
    await clock.tick(2000)
    expect(keptOf(world, ended)).toEqual(ids(ended.events))
    await running.close()
  })

  test('of several leads one; the next one when it goes, or when its lease ends with its life', async () => {
    const world = begin()
    const { clock, ports, store } = world
    const first = relay(ports, 'r1')
    await clock.settle()
    const second = relay(ports, 'r2')
    const deadClock = manualClock() // the process of the third stops for good as soon as it leads
    await clock.tick(3000)
    expect([first.status().leads, second.status().leads]).toEqual([true, false])
    await first.close()
    await clock.tick(1000)
    expect(second.status().leads).toBe(true)
    await second.close()
    const third = relay({ ...ports, clock: deadClock }, 'r3')
    await clock.settle()
    expect(third.status().leads).toBe(true)
    const fourth = relay(ports, 'r4')
    const turn = await openTurn(store)
    await clock.tick(30_000)
    expect(fourth.status().leads).toBe(true)
    expect(keptOf(world, turn)).toEqual(ids(turn.events))
    await fourth.close()
  })

  test('shows the backlog while the bus is away, and is quiet for longer and longer', async () => {
    const world = begin()
    const { clock, store, broker, ports } = world
    broker.outage(true)
    await appendTo(store, await openTurn(store), 2)
    const turn = await openTurn(store)
    const running = relay(ports, 'r1')
    await clock.tick(60_000)
    expect(running.status()).toEqual({ leads: true, turns: 2, versions: 4 })
    broker.outage(false)
    await clock.tick(30_000)
    expect(keptOf(world, turn)).toEqual(ids(turn.events))
    await running.close()
  })

  test('turns whose streams are damaged hold up no other, however many they are', async () => {
    const world = begin()
    const { clock, store, ports } = world
    const damaged = await appendTo(store, await openTurn(store), 3)
    await store.damage(damaged.turnId, 2)
    for (let more = 0; more < 300; more += 1) await store.damage((await openTurn(store)).turnId, 1)
    await clock.tick(10)
    const turn = await openTurn(store)
    const running = relay(ports, 'r1')
    await clock.tick(60_000)
    expect(keptOf(world, damaged)).toEqual(ids(damaged.events.slice(0, 1)))
    expect(keptOf(world, turn)).toEqual(ids(turn.events))
    await running.close()
  })
})

test('an owner dies between two publishes, the relay takes over, and the owner comes back as a zombie', async () => {
  const world = begin()
  const { clock, store, broker, ports } = world
  const opened = await openTurn(store)
  const epoch = await owned(world, 'w1', opened)
  const zombie = publisher(ports)
  zombie.committed(opened.events, {})
  await clock.settle()
  broker.slow(true)
  const turn = await appendTo(store, opened, 4, { epoch })
  zombie.committed(turn.events.slice(1), {})
  await clock.settle() // version 2 is on its way, and its acknowledgement does not come
  await store.retire('w1')
  broker.outage(true)
  broker.outage(false)
  broker.slow(false)
  const running = relay(ports, 'r1')
  const successor = publisher(ports)
  await clock.tick(150)
  const longer = await appendTo(store, turn, 2)
  successor.committed(longer.events.slice(5), {})
  await clock.tick(60_000)
  expect(keptOf(world, longer)).toEqual(ids(longer.events))
  await running.close()
})

type Step =
  | { readonly do: 'append'; readonly turn: number; readonly count: number }
  | { readonly do: 'crash' | 'outage' | 'slow' | 'relay' }
  | { readonly do: 'tick'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), turn: fc.nat(2), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('crash' as const, 'outage' as const, 'slow' as const, 'relay' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(0, 100, 400, 1500, 12_000) }) },
)

/** Owners crash without a word and go on publishing as zombies; several relays believe that they lead. */
async function play(steps: readonly Step[]): Promise<void> {
  const world = begin()
  const { clock, store, broker, ports } = world
  const switches = { outage: false, slow: false }
  let owner: Publisher = publisher(ports)
  let relays = 0
  const turns: Writing[] = []
  for (let turn = 0; turn < 3; turn += 1) turns.push(await openTurn(store))
  for (const { events } of turns) owner.committed(events, {})
  for (const each of steps) {
    if (each.do === 'append') {
      const turn = turns[each.turn] as Writing
      const longer = await appendTo(store, turn, each.count, { published: owner.published(turn.turnId) })
      owner.committed(longer.events.slice(turn.events.length), {})
      turns[each.turn] = longer
    }
    if (each.do === 'crash') owner = publisher(ports)
    if (each.do === 'outage' || each.do === 'slow') {
      switches[each.do] = !switches[each.do]
      broker[each.do](switches[each.do])
    }
    if (each.do === 'relay') relay({ ...ports, store: { ...store, lead: async () => true } }, `r${(relays += 1)}`)
    if (each.do === 'tick') await clock.tick(each.ms)
  }
  broker.outage(false)
  broker.slow(false)
  relay(ports, 'last')
  await clock.tick(120_000)
  for (const turn of turns) expect(keptOf(world, turn)).toEqual(ids(turn.events))
  expect(await store.unpublished(0, 10)).toEqual([])
}

test('whoever publishes, dies and comes back: every event arrives, and the first copies in order', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), play), { numRuns: 40 })
})
