// What a bus owes, for every implementation: acknowledged publishes, durable consumers, live progress.

import { describe, expect, onTestFinished, test } from 'vitest'
import { bodyOf, eventMessage, readMessage } from '../../bus/message.ts'
import { eventSubject, progressSubject, turnsFilter } from '../../bus/subjects.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Bus, Delivery } from '../../machines/ports/bus.ts'
import { looseEvents, until } from './world.ts'

/** One broker of a test, and the limits that the suite needs to know. */
export type BrokerUnderTest = {
  /** Another handle, as another process has it. */
  readonly open: () => Promise<Bus>
  /** Bytes that a message may have. */
  readonly maxPayload: number
}

/** @param make a broker that nothing was published on. @param ackWaitMs after which an unanswered message comes again */
export function busSuite(make: (ackWaitMs: number) => Promise<BrokerUnderTest>): void {
  publishing(make)
  consuming(make)
  redelivering(make)
  progressing(make)
}

type Make = (ackWaitMs: number) => Promise<BrokerUnderTest>
const LONG_MS = 30_000

/** A broker with one handle, which is closed when the test is done. */
async function begin(make: Make, ackWaitMs = LONG_MS) {
  const broker = await make(ackWaitMs)
  const another = async () => {
    const bus = await broker.open()
    onTestFinished(() => bus.close())
    return bus
  }
  return { broker, another, bus: await another() }
}

const publishAll = async (bus: Bus, events: readonly StoredEvent[]) => {
  for (const event of events) await bus.publish(eventMessage(event, { conversation: 'c-1' }))
}

/** Everything that a consumer is given, and a handler that keeps and acknowledges it. */
function keeping(answer: (delivery: Delivery) => void = delivery => delivery.ack()) {
  const kept: Delivery[] = []
  const handler = async (delivery: Delivery) => {
    kept.push(delivery)
    answer(delivery)
  }
  const versions = () => kept.map(({ body }) => versionOf(body))
  return { kept, handler, versions }
}

function versionOf(body: Uint8Array): number {
  const received = readMessage(body)
  return received.kind === 'foreign' ? 0 : received.kind === 'event' ? received.event.version : received.version
}

function publishing(make: Make): void {
  describe('publishing', () => {
    test('resolves when the broker has it, and a consumer reads the event with its headers', async () => {
      const { bus } = await begin(make)
      const [event] = looseEvents(1) as [StoredEvent]
      const { kept, handler } = keeping()
      await bus.publish(eventMessage(event, { conversation: 'c-17' }))
      await bus.consume('reader', { subject: turnsFilter(), from: 'start' }, handler)
      await until('the event', () => kept.length === 1)
      const [{ subject, headers, body, count }] = kept as [Delivery]
      expect(subject).toBe(eventSubject('turns', event))
      expect(headers).toMatchObject({ 'ce-id': `${event.turnId}:1`, 'ce-type': event.type, 'toolturn-labels': '{"conversation":"c-17"}' })
      expect(Buffer.from(body)).toEqual(bodyOf(event))
      expect(count).toBe(1)
    })

    test('a second copy counts as published and is delivered once (B118)', async () => {
      const { bus } = await begin(make)
      const events = looseEvents(2)
      for (let again = 0; again < 5; again += 1) await publishAll(bus, events.slice(0, 1))
      await publishAll(bus, events)
      const { versions, handler } = keeping()
      await bus.consume('reader', { subject: turnsFilter(), from: 'start' }, handler)
      await until('both events', () => versions().length >= 2)
      expect(versions()).toEqual([1, 2])
      expect((await bus.health()).messages).toBe(2)
    })

    test('an event that is too large goes as a reference with its digest, and others whole', async () => {
      const { bus, broker } = await begin(make)
      const [large] = looseEvents(1, { data: { text: 'x'.repeat(broker.maxPayload) } })
      const { kept, handler } = keeping()
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, handler)
      await publishAll(bus, [large as StoredEvent])
      await until('the reference', () => kept.length === 1)
      const body = bodyOf(large as StoredEvent)
      expect(readMessage((kept[0] as Delivery).body)).toMatchObject({ kind: 'reference', turnId: large?.turnId, version: 1, bytes: body.byteLength })
    })

    test('replays are kept apart: a consumer of turns never sees one, and one is no duplicate of its original', async () => {
      const { bus } = await begin(make)
      const [event] = looseEvents(1) as [StoredEvent]
      const turns = keeping()
      const replays = keeping()
      await bus.consume('turns', { subject: turnsFilter(), from: 'start' }, turns.handler)
      await bus.consume('replays', { subject: 'replays.>', from: 'start' }, replays.handler)
      await bus.publish(eventMessage(event, {}, 'replays'))
      await bus.publish(eventMessage(event, {}))
      await until('both', () => turns.kept.length + replays.kept.length === 2)
      expect(turns.kept.map(({ subject }) => subject.split('.')[0])).toEqual(['turns'])
      expect(replays.kept.map(({ subject }) => subject.split('.')[0])).toEqual(['replays'])
    })

    test('rejects with `bus_unreachable` after the close, and with `option_invalid` for progress', async () => {
      const { bus } = await begin(make)
      const [event] = looseEvents(1) as [StoredEvent]
      const message = eventMessage(event, {})
      await expect(bus.publish({ ...message, subject: progressSubject('default', event.turnId) })).rejects.toMatchObject({ code: 'option_invalid' })
      await bus.close()
      await expect(bus.publish(message)).rejects.toMatchObject({ code: 'bus_unreachable' })
    })
  })
}

function consuming(make: Make): void {
  describe('a durable consumer', () => {
    test('from the start is given everything in order, from now on only what comes', async () => {
      const { bus } = await begin(make)
      const events = looseEvents(20)
      await publishAll(bus, events.slice(0, 10))
      const all = keeping()
      const fresh = keeping()
      await bus.consume('all', { subject: turnsFilter(), from: 'start' }, all.handler)
      await bus.consume('fresh', { subject: turnsFilter(), from: 'new' }, fresh.handler)
      await publishAll(bus, events.slice(10))
      await until('everything', () => all.kept.length >= 20 && fresh.kept.length >= 10)
      expect(all.versions()).toEqual(events.map(({ version }) => version))
      expect(fresh.versions()).toEqual(events.slice(10).map(({ version }) => version))
    })

    test('goes on where its name left off, also from another process', async () => {
      const { bus, another } = await begin(make)
      const events = looseEvents(9)
      const first = keeping()
      const subscription = await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, first.handler)
      await publishAll(bus, events.slice(0, 3))
      await until('the first three', () => first.kept.length === 3)
      await subscription.close()
      await publishAll(bus, events.slice(3, 6))
      const second = keeping()
      await (await another()).consume('reader', { subject: turnsFilter(), from: 'new' }, second.handler)
      await publishAll(bus, events.slice(6))
      await until('the other six', () => second.kept.length >= 6)
      expect([...first.versions(), ...second.versions()]).toEqual(events.map(({ version }) => version))
    })

    test('two readers of one name share the messages, each given to one of them', async () => {
      const { bus, another } = await begin(make)
      const readers = [keeping(), keeping()]
      await bus.consume('shared', { subject: turnsFilter(), from: 'new' }, (readers[0] as typeof readers[0] & {}).handler)
      await (await another()).consume('shared', { subject: turnsFilter(), from: 'new' }, (readers[1] as typeof readers[1] & {}).handler)
      await publishAll(bus, looseEvents(30))
      const total = () => readers.flatMap(({ versions }) => versions())
      await until('all thirty', () => total().length >= 30)
      expect(total().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    })

    test('is given one tenant only when it asks for one, and takes over a new filter under its name', async () => {
      const { bus } = await begin(make)
      const acme = looseEvents(2, { tenant: 'acme' })
      const other = looseEvents(2, { tenant: 'acme2' })
      const { kept, handler } = keeping()
      const subscription = await bus.consume('reader', { subject: turnsFilter('acme'), from: 'new' }, handler)
      await publishAll(bus, [...other.slice(0, 1), ...acme.slice(0, 1)])
      await until('the first', () => kept.length === 1)
      await subscription.close()
      await bus.consume('reader', { subject: turnsFilter('acme2'), from: 'new' }, handler)
      await publishAll(bus, [...acme.slice(1), ...other.slice(1)])
      await until('the second', () => kept.length === 2)
      expect(kept.map(({ subject }) => subject.split('.')[1])).toEqual(['acme', 'acme2'])
    })

    test('is refused a name that is no token, and progress', async () => {
      const { bus } = await begin(make)
      const { handler } = keeping()
      await expect(bus.consume('a.b', { subject: turnsFilter(), from: 'new' }, handler)).rejects.toMatchObject({ code: 'option_invalid' })
      await expect(bus.consume('a', { subject: 'progress.>', from: 'new' }, handler)).rejects.toMatchObject({ code: 'option_invalid' })
    })
  })
}

function redelivering(make: Make): void {
  describe('a message', () => {
    test('that is refused comes again and counts, until it is acknowledged', async () => {
      const { bus } = await begin(make)
      const { kept, handler } = keeping(delivery => (delivery.count < 4 ? delivery.nak(5) : delivery.ack()))
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, handler)
      await publishAll(bus, looseEvents(1))
      await until('the fourth delivery', () => kept.length === 4)
      expect(kept.map(({ count }) => count)).toEqual([1, 2, 3, 4])
    })

    test('rests as long as its refusal asks, while others go on', async () => {
      const { bus } = await begin(make)
      const { kept, versions, handler } = keeping(delivery => {
        if (versionOf(delivery.body) === 1 && delivery.count === 1) delivery.nak(500)
        else delivery.ack()
      })
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, handler)
      await publishAll(bus, looseEvents(3))
      await until('the second delivery of the first', () => kept.length === 4)
      expect(versions()).toEqual([1, 2, 3, 1])
    })

    test('whose handler throws comes again', async () => {
      const { bus } = await begin(make)
      const counts: number[] = []
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, async ({ count, ack }) => {
        counts.push(count)
        if (count === 1) throw new Error('not today')
        ack()
      })
      await publishAll(bus, looseEvents(1))
      await until('the second delivery', () => counts.length === 2)
      expect(counts).toEqual([1, 2])
    })

    test('that is not answered in time is given to another one; a sign of life keeps it', async () => {
      const { bus, another } = await begin(make, 400)
      const held: Delivery[] = []
      const first = await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, async delivery => void held.push(delivery))
      await publishAll(bus, looseEvents(2))
      await until('both', () => held.length === 2)
      await first.close()
      const second = keeping()
      const kept = held.find(({ body }) => versionOf(body) === 2)
      const alive = setInterval(() => kept?.working(), 100)
      onTestFinished(() => clearInterval(alive))
      await (await another()).consume('reader', { subject: turnsFilter(), from: 'new' }, second.handler)
      await until('the one that was dropped', () => second.kept.length > 0)
      expect(second.versions()).toEqual([1])
      expect((second.kept[0] as Delivery).count).toBe(2)
      kept?.ack()
    })

    test('is answered once: what comes after the first answer is not heard', async () => {
      const { bus } = await begin(make)
      const { kept, versions, handler } = keeping(delivery => {
        delivery.ack()
        delivery.nak()
      })
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, handler)
      const events = looseEvents(2)
      await publishAll(bus, events)
      await until('both', () => kept.length === 2)
      expect(versions()).toEqual([1, 2])
    })
  })
}

function progressing(make: Make): void {
  describe('progress', () => {
    test('reaches who listens now, under its own subject, and nobody else', async () => {
      const { bus, another } = await begin(make)
      const heard: string[] = []
      const subject = progressSubject('acme', 'turn-1')
      bus.progress(subject, Buffer.from('too early'))
      const subscription = await (await another()).onProgress(subject, (from, body) => void heard.push(`${from} ${Buffer.from(body).toString()}`))
      bus.progress(progressSubject('acme', 'turn-2'), Buffer.from('of another turn'))
      bus.progress(subject, Buffer.from('hello'))
      await until('the delta', () => heard.length > 0)
      await subscription.close()
      bus.progress(subject, Buffer.from('too late'))
      expect(heard).toEqual([`${subject} hello`])
    })

    test('is never stored', async () => {
      const { bus } = await begin(make)
      const { kept, handler } = keeping()
      bus.progress(progressSubject('acme', 'turn-1'), Buffer.from('hello'))
      await publishAll(bus, looseEvents(1))
      await bus.consume('reader', { subject: turnsFilter(), from: 'start' }, handler)
      await until('the event', () => kept.length > 0)
      expect((await bus.health()).messages).toBe(1)
    })

    test('a listener that throws harms nobody', async () => {
      const { bus } = await begin(make)
      const heard: string[] = []
      const subject = progressSubject('acme', 'turn-1')
      await bus.onProgress(subject, (_, body) => {
        heard.push(Buffer.from(body).toString())
        throw new Error('cannot show it')
      })
      bus.progress(subject, Buffer.from('one'))
      bus.progress(subject, Buffer.from('two'))
      await until('both', () => heard.length === 2)
      await publishAll(bus, looseEvents(1))
    })
  })
}
