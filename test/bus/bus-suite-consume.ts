// What a bus owes a durable consumer: everything of its subjects from its place on, shared among its readers.

import { describe, expect, test } from 'vitest'
import { turnsFilter } from '../../bus/subjects.ts'
import { begin, keeping, publishAll, type Make } from './stage.ts'
import { looseEvents, until } from './world.ts'

export function consuming(make: Make): void {
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
      const [first, second] = [keeping(), keeping()]
      await bus.consume('shared', { subject: turnsFilter(), from: 'new' }, first.handler)
      await (await another()).consume('shared', { subject: turnsFilter(), from: 'new' }, second.handler)
      await publishAll(bus, looseEvents(30))
      const total = () => [...first.versions(), ...second.versions()]
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
