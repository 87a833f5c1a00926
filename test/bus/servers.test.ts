// Goal: store, publisher, relay, broker and consumer do together what each promises, on real servers.

import { jetstreamManager } from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { subscribe, type ConsumerPorts } from '../../bus/consumer.ts'
import type { EventHandler } from '../../bus/consumer-options.ts'
import { readMessage } from '../../bus/message.ts'
import { brokerNames } from '../../bus/nats-prefix.ts'
import { nats } from '../../bus/nats.ts'
import { publisher, type Publisher } from '../../bus/publisher.ts'
import { relay } from '../../bus/relay.ts'
import { turnsFilter } from '../../bus/subjects.ts'
import type { Bus } from '../../machines/ports/bus.ts'
import type { Store } from '../../machines/ports/store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { callRecorded } from '../ports/streams.ts'
import { describeWithServers, freshPrefix, freshSchema } from '../servers.ts'
import { appendTo, clock, openTurn, quiet, random, until, type Writing } from './world.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describeWithServers('on Postgres and NATS', ({ postgres, nats: broker }) => {
  async function begin(options: { ackWaitMs?: number; prefix?: string } = {}) {
    const { ackWaitMs = 30_000, prefix = freshPrefix() } = options
    const store = await openPostgres(postgres, { schema: freshSchema(), migrate: true })
    onTestFinished(() => store.close())
    const open = async () => {
      const bus = await nats(broker, { prefix, ackWaitMs }).open(quiet)
      onTestFinished(() => bus.close())
      return bus
    }
    const bus = await open()
    return { store, bus, open, ports: { store, bus, clock, random, log: quiet } }
  }

  async function write(store: Store, outbox: Publisher | null, turn: Writing, appends: number): Promise<Writing> {
    for (let append = 0; append < appends; append += 1) {
      const longer = await appendTo(store, turn, 2, { published: outbox?.published(turn.turnId) ?? 0 })
      outbox?.committed(longer.events.slice(turn.events.length), {})
      turn = longer
    }
    return turn
  }

  /** Subscribes and keeps the versions that were handled, by turn. */
  async function reading(ports: ConsumerPorts, name: string, handle: EventHandler = () => {}) {
    const byTurn = new Map<string, number[]>()
    const pace = { leaseMs: 3000, proveMs: 60_000, workingMs: 300 }
    const subscription = await subscribe(
      ports,
      { name, from: 'start' },
      async event => {
        await handle(event)
        byTurn.set(event.turnId, [...(byTurn.get(event.turnId) ?? []), event.version])
      },
      pace,
    )
    onTestFinished(() => subscription.close())
    return { of: ({ turnId }: Writing) => byTurn.get(turnId) ?? [], close: subscription.close }
  }

  test('what an owner publishes and what it leaves to the relay reaches a subscriber once, in order', async () => {
    const { store, ports } = await begin()
    const outbox = publisher(ports)
    const reader = await reading(ports, 'reader')
    let turns = await Promise.all(upTo(8).map(() => openTurn(store)))
    for (const { events } of turns) outbox.committed(events, {})
    turns = await Promise.all(turns.map(turn => write(store, outbox, turn, 4)))
    await outbox.close()
    turns = await Promise.all(turns.map(turn => write(store, null, turn, 2)))
    const running = relay(ports, random.workerId())
    onTestFinished(() => running.close())
    await until('every event', () => turns.every(turn => reader.of(turn).length >= 13))
    for (const turn of turns) expect(reader.of(turn)).toEqual(upTo(13))
    await until('nothing unpublished', async () => (await store.unpublished(0, 100)).length === 0)
  })

  test('an event larger than the broker takes reaches a subscriber whole', async () => {
    const { store, bus, ports } = await begin()
    const text = 'ü'.repeat(700_000)
    const opened = await openTurn(store)
    const outbox = publisher(ports)
    onTestFinished(() => outbox.close())
    const sizes: number[] = []
    const reader = await reading(ports, 'reader', ({ type, data }) => {
      if (type === 'call.recorded') sizes.push((data as { result: { structuredContent: string } }).result.structuredContent.length)
    })
    const longer = await appendTo(store, opened, 1, { facts: [callRecorded(text)] })
    outbox.committed(longer.events, {})
    await until('both events', () => reader.of(longer).length === 2)
    expect(sizes).toEqual([700_000])
    expect((await bus.health()).messages).toBe(2)
  })

  test('a handler longer than the ack wait works once for each event, over two replicas and a takeover (B116)', async () => {
    const { store, open, ports } = await begin({ ackWaitMs: 1000 })
    const other = { ...ports, bus: await open() }
    const outbox = publisher(ports)
    onTestFinished(() => outbox.close())
    const slowly = () => clock.sleep(1500)
    const [first, second] = [await reading(ports, 'slow', slowly), await reading(other, 'slow', slowly)]
    const turns = await Promise.all(upTo(10).map(() => openTurn(store)))
    for (const { events } of turns) outbox.committed(events, {})
    await until('the first ones', () => turns.every(turn => first.of(turn).length + second.of(turn).length > 0))
    await first.close()
    const longer = await Promise.all(turns.map(turn => write(store, outbox, turn, 1)))
    await until('the others', () => longer.every(turn => first.of(turn).length + second.of(turn).length >= 3))
    for (const turn of longer) expect([...first.of(turn), ...second.of(turn)]).toEqual([1, 2, 3])
  })

  test('a broker that takes repeats for new ones still has every first copy in order, whoever publishes', async () => {
    const prefix = freshPrefix()
    const names = brokerNames(prefix)
    const connection = await connect({ servers: broker })
    const { streams } = await jetstreamManager(connection)
    await streams.add({ name: names.stream.turns, subjects: [`${prefix}.>`], duplicate_window: nanos(100) })
    await connection.close()
    const { store, bus, open, ports } = await begin({ prefix })
    let turns = await Promise.all(upTo(6).map(() => openTurn(store)))
    const zombies: Publisher[] = []
    for (let owner = 0; owner < 4; owner += 1) {
      const outbox = publisher({ ...ports, bus: owner % 2 === 0 ? bus : await open() })
      zombies.push(outbox)
      turns = await Promise.all(turns.map(turn => write(store, outbox, turn, 3)))
    }
    const relays = upTo(2).map(index => relay({ ...ports, store: { ...store, lead: async () => true } }, `relay-${index}`))
    const byTurn = await arrivals(bus, turns)
    await Promise.all([...zombies, ...relays].map(each => each.close()))
    for (const { turnId, events } of turns) expect([...new Set(byTurn.get(turnId))]).toEqual(events.map(({ version }) => version))
  })
})

/** Every copy that is kept, by turn, in order of arrival, once each version is there. */
async function arrivals(bus: Bus, turns: readonly Writing[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const byTurn = new Map<string, number[]>(turns.map(({ turnId }) => [turnId, []]))
  await bus.consume('judge', { subject: turnsFilter(), from: 'start' }, async ({ body, ack }) => {
    const received = readMessage(body)
    if (received.kind === 'event') byTurn.get(received.event.turnId)?.push(received.event.version)
    ack()
  })
  await until('every version', () => turns.every(({ turnId, events }) => new Set(byTurn.get(turnId)).size === events.length))
  return byTurn
}
