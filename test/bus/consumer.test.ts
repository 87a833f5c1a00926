// Goal: a consumer is given every committed event once, in turn order, whatever the bus loses, repeats or turns around.

import { describe, expect, test } from 'vitest'
import { subscribe } from '../../bus/consumer.ts'
import { asReference, eventMessage } from '../../bus/message.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { begin, DAY_MS, keep, MINUTE_MS, send } from './consumer-world.ts'
import { newTurn } from '../ports/streams.ts'
import { appendTo, openTurn } from './world.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('what the bus does to messages', () => {
  test.each([
    ['in order', [0, 1, 2, 3, 4]],
    ['with gaps', [1, 4]],
    ['with repeats', [0, 0, 1, 0, 1, 2, 3, 3, 4]],
    ['turned around', [4, 2, 3, 0, 1]],
    ['only the last one', [4]],
  ])('%s: the consumer is given each version once, in order', async (_, order) => {
    const world = begin()
    const reader = await keep(world)
    const turn = await appendTo(world.store, await openTurn(world.store), 4)
    await send(
      world.bus,
      order.map(index => turn.events[index]),
    )
    await world.clock.settle()
    expect(reader.of(turn)).toEqual(upTo(5))
    await reader.close()
  })

  test('a reference is resolved from the store', async () => {
    const world = begin()
    const texts: unknown[] = []
    const reader = await keep(world, {}, ({ data }) => void texts.push(data))
    const turn = await openTurn(world.store)
    await world.bus.publish(asReference(eventMessage(turn.events[0] as StoredEvent, {})))
    await world.clock.settle()
    expect(texts).toEqual([turn.events[0]?.data])
    await reader.close()
  })

  test('what is none of ours is passed over and said', async () => {
    const world = begin()
    const reader = await keep(world)
    const turn = await openTurn(world.store)
    await world.bus.publish({ subject: 'turns.a.b.call.late', id: 'junk', headers: {}, body: Buffer.from('{"not":"ours"}') })
    await send(world.bus, turn.events)
    await world.clock.tick(5 * MINUTE_MS)
    expect(reader.seen).toHaveLength(1)
    expect(world.log.lines.filter(line => line.includes('none of ours'))).toHaveLength(1)
    await reader.close()
  })

  test('what it never says is found in the store: at the start, and within a minute', async () => {
    const world = begin()
    const before = await appendTo(world.store, await openTurn(world.store), 2)
    const reader = await keep(world, { from: 'start' })
    expect(reader.of(before)).toEqual(upTo(3))
    const after = await appendTo(world.store, before, 2)
    const other = await openTurn(world.store)
    await world.clock.tick(MINUTE_MS)
    expect([reader.of(after), reader.of(other)]).toEqual([upTo(5), [1]])
    await reader.close()
  })

  test('messages about events that are in no store are asked about a few times, said and let go, and nothing is handled', async () => {
    const world = begin()
    const reader = await keep(world)
    const turn = await appendTo(world.store, await openTurn(world.store), 1)
    await send(world.bus, [{ ...(turn.events[0] as StoredEvent), turnId: 'never-was', version: 3 }])
    await send(world.bus, turn.events)
    await world.clock.tick(10 * MINUTE_MS)
    expect(reader.of(turn)).toEqual(upTo(2))
    expect(reader.seen).toHaveLength(2)
    expect(world.log.lines.filter(line => line.includes('not in the store'))).toHaveLength(5)
    await reader.close()
  })
})

describe('a handler that throws', () => {
  test('is given the event again, its turn waits in order, and other turns go on', async () => {
    const world = begin()
    const attempts: number[] = []
    const failing = await openTurn(world.store)
    const reader = await keep(world, { from: 'start' }, ({ turnId, version }) => {
      if (turnId !== failing.turnId || version !== 3) return
      attempts.push(world.clock.monotonic())
      if (attempts.length < 4) throw new Error('not yet')
    })
    const turn = await appendTo(world.store, failing, 5)
    const other = await appendTo(world.store, await openTurn(world.store), 3)
    await send(world.bus, [...turn.events, ...other.events])
    await world.clock.settle()
    expect([reader.of(turn), reader.of(other)]).toEqual([upTo(2), upTo(4)])
    await world.clock.tick(50_000)
    expect(reader.of(turn)).toEqual(upTo(6))
    const rests = attempts.slice(1).map((at, index) => at - (attempts[index] as number))
    expect(rests).toEqual([1000, 2000, 4000]) // the other messages of the turn cause no tries of their own
    await reader.close()
  })

  test('for ever is tried for ever, less and less often', async () => {
    const world = begin()
    let attempts = 0
    const reader = await keep(world, {}, () => {
      attempts += 1
      throw new Error('never')
    })
    await send(world.bus, (await openTurn(world.store)).events)
    await world.clock.tick(10 * MINUTE_MS)
    expect(attempts).toBeGreaterThan(15)
    expect(attempts).toBeLessThan(40)
    expect(reader.seen).toEqual([])
    await reader.close()
  })

  test('its words are in no log', async () => {
    const world = begin()
    const reader = await keep(world, {}, () => {
      throw new Error('sk-secret-123')
    })
    await send(world.bus, (await openTurn(world.store)).events)
    await world.clock.tick(5000)
    expect(world.log.lines.length).toBeGreaterThan(0)
    expect(world.log.lines.join()).not.toContain('sk-secret-123')
    await reader.close()
  })
})

describe('what a consumer asks for', () => {
  test('from now on: nothing of before, everything of after, also of turns that were open before', async () => {
    const world = begin()
    const old = await appendTo(world.store, await openTurn(world.store), 2)
    await world.clock.tick(DAY_MS)
    const recent = await appendTo(world.store, await openTurn(world.store), 2)
    const reader = await keep(world)
    const oldOn = await appendTo(world.store, old, 2)
    const recentOn = await appendTo(world.store, recent, 1)
    const fresh = await openTurn(world.store)
    await world.clock.tick(2 * MINUTE_MS)
    expect([reader.of(oldOn), reader.of(recentOn), reader.of(fresh)]).toEqual([[4, 5], [4], [1]])
    await reader.close()
  })

  test('from now on: also turns whose owner has a clock that is years behind', async () => {
    const world = begin()
    const reader = await keep(world)
    const turn = newTurn() // its events are of 2026, the store's clock is not
    await world.store.open(turn)
    await world.clock.tick(2 * MINUTE_MS)
    expect(reader.seen).toEqual([`${turn.turnId}:1`])
    await reader.close()
  })

  test('one tenant, and some types: the rest is passed over, and gaps in what is left are no gaps', async () => {
    const world = begin()
    const reader = await keep(world, { tenant: 'acme', types: ['turn.completed', 'turn.opened'] })
    const turn = await appendTo(world.store, await openTurn(world.store, { tenant: 'acme' }), 4, { ends: true })
    const other = await openTurn(world.store, { tenant: 'acme2' })
    await send(world.bus, [...other.events, ...turn.events])
    await world.clock.tick(2 * MINUTE_MS)
    expect(reader.seen).toEqual([`${turn.turnId}:1`, `${turn.turnId}:5`])
    await reader.close()
  })

  test.each([{ name: 'a.b' }, { name: '' }, { tenant: '*' }, { types: ['call.nonsense' as 'call.late'] }, { from: 'middle' as 'new' }])(
    '%j is refused',
    async wrong => {
      const { ports } = begin()
      await expect(subscribe(ports, { name: 'reader', from: 'new', ...wrong }, () => {})).rejects.toMatchObject({ code: 'option_invalid' })
    },
  )

  test('nothing while the store is away: it is told so', async () => {
    const { ports, store } = begin()
    await store.close()
    await expect(subscribe(ports, { name: 'reader', from: 'new' }, () => {})).rejects.toMatchObject({ code: 'store_unreachable' })
  })
})
