// What a bus owes who publishes: an acknowledgement means that the message is kept, once.

import { describe, expect, test } from 'vitest'
import { bodyOf, eventMessage, readMessage } from '../../bus/message.ts'
import { eventSubject, progressSubject, turnsFilter } from '../../bus/subjects.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Delivery } from '../../machines/ports/bus.ts'
import { begin, keeping, publishAll, type Make } from './stage.ts'
import { looseEvents, until } from './world.ts'

export function publishing(make: Make): void {
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
      expect(headers).toMatchObject(eventMessage(event, { conversation: 'c-17' }).headers)
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
      const whole = { turnId: large?.turnId, version: 1, bytes: bodyOf(large as StoredEvent).byteLength }
      expect(readMessage((kept[0] as Delivery).body)).toMatchObject({ kind: 'reference', ...whole })
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
      const progress = { ...message, subject: progressSubject('default', event.turnId) }
      await expect(bus.publish(progress)).rejects.toMatchObject({ code: 'option_invalid' })
      await bus.close()
      await expect(bus.publish(message)).rejects.toMatchObject({ code: 'bus_unreachable' })
    })
  })
}
