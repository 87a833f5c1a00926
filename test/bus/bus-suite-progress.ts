// What a bus owes progress: to be heard by who listens now, and never to be kept.

import { describe, expect, test } from 'vitest'
import { progressSubject, turnsFilter } from '../../bus/subjects.ts'
import { begin, keeping, publishAll, type Make } from './stage.ts'
import { looseEvents, until } from './world.ts'

export function progressing(make: Make): void {
  describe('progress', () => {
    test('reaches who listens now, under its own subject, and nobody else', async () => {
      const { bus, another } = await begin(make)
      const heard: string[] = []
      const subject = progressSubject('acme', 'turn-1')
      bus.progress(subject, Buffer.from('too early'))
      const listener = await another()
      const subscription = await listener.onProgress(subject, (from, body) => void heard.push(`${from} ${Buffer.from(body).toString()}`))
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
