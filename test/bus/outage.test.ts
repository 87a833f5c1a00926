// Goal: a broker that is absent, killed, restarted or hanging costs no event and no order; turns do not wait for it.

import { describe, expect, onTestFinished, test } from 'vitest'
import { eventMessage, readMessage } from '../../bus/message.ts'
import { nats } from '../../bus/nats.ts'
import { publisher } from '../../bus/publisher.ts'
import { turnsFilter } from '../../bus/subjects.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Bus } from '../../machines/ports/bus.ts'
import { openMemory } from '../../store/memory.ts'
import { brokerInstalled, ownBroker } from './broker.ts'
import { appendTo, clock, keptLog, looseEvents, openTurn, quiet, until, type Writing } from './world.ts'

// Reason: these tests kill and stop the broker, so it must be one of their own.
describe.skipIf(!brokerInstalled)('a broker on a bad day', () => {
  async function begin(options: { started: boolean }) {
    const broker = await ownBroker()
    onTestFinished(() => broker.remove())
    if (options.started) await broker.start()
    const log = keptLog()
    const bus = await nats(broker.url, { prefix: 'turns' }).open(log)
    onTestFinished(() => bus.close())
    const store = openMemory()
    const outbox = publisher({ store, bus, clock, log })
    onTestFinished(() => outbox.close(0))
    return { broker, bus, store, outbox, log }
  }

  type World = Awaited<ReturnType<typeof begin>>

  async function commit({ store, outbox }: World, turns: Writing[], rounds: number): Promise<Writing[]> {
    for (let round = 0; round < rounds; round += 1) {
      turns = await Promise.all(
        turns.map(async turn => {
          const published = outbox.published(turn.turnId)
          const longer = await appendTo(store, turn, 2, { published })
          outbox.committed(longer.events.slice(turn.events.length), {})
          return longer
        }),
      )
    }
    return turns
  }

  async function open({ store, outbox }: World, count: number): Promise<Writing[]> {
    const turns = await Promise.all(Array.from({ length: count }, () => openTurn(store)))
    for (const { events } of turns) outbox.committed(events, {})
    return turns
  }

  /** Everything that is kept, by turn, in order of arrival. */
  async function arrivals(bus: Bus, turns: readonly Writing[]): Promise<ReadonlyMap<string, number[]>> {
    const byTurn = new Map<string, number[]>()
    const wanted = turns.reduce((sum, { events }) => sum + events.length, 0)
    const places = new Set<string>()
    await bus.consume('judge', { subject: turnsFilter(), from: 'start' }, async ({ body, ack }) => {
      const received = readMessage(body)
      if (received.kind !== 'event') throw new Error('an event was expected')
      const { turnId, version } = received.event
      byTurn.set(turnId, [...(byTurn.get(turnId) ?? []), version])
      places.add(`${turnId}:${version}`)
      ack()
    })
    await until('every event', () => places.size === wanted, 60_000)
    return byTurn
  }

  /** Each version once, in the order in which the first copy of each came. */
  const firstCopies = (arrived: readonly number[]) => [...new Set(arrived)]

  async function expectAllInOrder({ bus }: World, turns: readonly Writing[]): Promise<void> {
    const byTurn = await arrivals(bus, turns)
    for (const { turnId, events } of turns) expect(firstCopies(byTurn.get(turnId) ?? [])).toEqual(events.map(({ version }) => version))
  }

  test('absent at the start: opening does not wait for it, events arrive when it comes', async () => {
    const world = await begin({ started: false })
    expect(await world.bus.health()).toMatchObject({ kind: 'nats', reachable: false, messages: 0 })
    await expect(
      world.bus.publish({ subject: 'turns.a.b.call.late', id: 'b:1', headers: {}, body: new Uint8Array() }),
    ).rejects.toMatchObject({ code: 'bus_unreachable' })
    const turns = await commit(world, await open(world, 10), 3)
    await world.broker.start()
    await expectAllInOrder(world, turns)
    expect(await world.bus.health()).toMatchObject({ reachable: true, server: world.broker.url })
  })

  test('absent when a consumer comes: it is attached when the broker is, and given what was published since it asked', async () => {
    const world = await begin({ started: false })
    const ids: (string | undefined)[] = []
    await world.bus.consume('early', { subject: turnsFilter(), from: 'new' }, async ({ headers, ack }) => {
      ids.push(headers['ce-id'])
      ack()
    })
    const heard: string[] = []
    await world.bus.onProgress('progress.default.x', (_, body) => void heard.push(Buffer.from(body).toString()))
    await world.broker.start()
    // Another process is there first: what it publishes came after the consumer asked, and before it is attached.
    const other = await nats(world.broker.url).open(quiet)
    onTestFinished(() => other.close())
    const [event] = looseEvents(1) as [StoredEvent]
    await other.publish(eventMessage(event, {}))
    await until('the event', () => ids.length > 0)
    expect(ids).toEqual([`${event.turnId}:1`])
    await until('progress', () => {
      world.bus.progress('progress.default.x', Buffer.from('hello'))
      return heard.length > 0
    })
  })

  test('killed under load and started again on what it had: none lost, none out of order', async () => {
    const world = await begin({ started: true })
    let turns = await commit(world, await open(world, 20), 5)
    const killing = world.broker.kill()
    turns = await commit(world, turns, 5)
    await killing
    turns = await commit(world, turns, 5)
    await world.broker.start()
    turns = await commit(world, turns, 5)
    await expectAllInOrder(world, turns)
    await until('every acknowledgement in the store', async () => {
      const rows = await Promise.all(turns.map(({ turnId }) => world.store.turn(turnId)))
      return rows.every(row => row?.published === row?.version)
    })
  })

  test('killed: what was sent and not acknowledged rejects at once, and nothing waits in a buffer', async () => {
    const world = await begin({ started: true })
    world.broker.hang()
    const [event] = looseEvents(1)
    const refusal = world.bus.publish(eventMessage(event as StoredEvent, {})).then(
      () => null,
      (error: unknown) => error,
    )
    await world.broker.kill()
    expect(await refusal).toMatchObject({ code: 'bus_unreachable', details: { why: 'the connection was lost' } })
    await world.broker.start()
    await until('the broker to be back', async () => (await world.bus.health()).reachable)
    expect((await world.bus.health()).messages).toBe(0)
  })

  test('hanging: the publisher keeps quiet and goes on when it wakes', async () => {
    const world = await begin({ started: true })
    let turns = await commit(world, await open(world, 5), 2)
    world.broker.hang()
    turns = await commit(world, turns, 3)
    await until('the first publish to be given up', () => world.log.lines.some(line => line.includes('could not be published')))
    world.broker.wake()
    await expectAllInOrder(world, turns)
  })

  test('gone for good: closing ends in time and keeps the rest for the relay', async () => {
    const world = await begin({ started: true })
    const turns = await commit(world, await open(world, 5), 1)
    await until('the first events', async () => turns.every(({ turnId }) => world.outbox.published(turnId) === 3))
    await world.broker.kill()
    const longer = await commit(world, turns, 1)
    await world.outbox.close()
    await world.bus.close()
    expect(await world.store.unpublished(0, 100)).toEqual(
      expect.arrayContaining(longer.map(({ turnId }) => ({ turnId, published: 3, version: 5 }))),
    )
  })
})
