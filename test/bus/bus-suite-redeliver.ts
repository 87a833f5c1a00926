// What a bus owes a message that is not acknowledged: it comes again, and counts.

import { describe, expect, onTestFinished, test } from 'vitest'
import { turnsFilter } from '../../bus/subjects.ts'
import type { Delivery } from '../../machines/ports/bus.ts'
import { begin, keeping, publishAll, versionOf, type Make } from './stage.ts'
import { looseEvents, until } from './world.ts'

export function redelivering(make: Make): void {
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
      const { versions, handler } = keeping(delivery => {
        if (versionOf(delivery.body) === 2 && delivery.count === 1) return delivery.nak(300)
        delivery.ack()
        delivery.working()
        delivery.nak()
      })
      await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, handler)
      await publishAll(bus, looseEvents(2))
      await until('the second one again', () => versions().filter(version => version === 2).length === 2)
      expect(versions()).toEqual([1, 2, 2])
    })
  })
}
