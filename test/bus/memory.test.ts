// Goal: the bus in memory is a bus like any other, and its switches do what a bad day does.

import { describe, expect, test } from 'vitest'
import { memoryBroker } from '../../bus/memory.ts'
import { eventMessage } from '../../bus/message.ts'
import { turnsFilter } from '../../bus/subjects.ts'
import type { BusMessage, Delivery } from '../../machines/ports/bus.ts'
import { busSuite } from './bus-suite.ts'
import { clock, looseEvents, quiet } from './world.ts'

describe('the bus in memory', () => {
  busSuite(async ackWaitMs => {
    const broker = memoryBroker({ clock, ackWaitMs, maxPayload: 10_000 })
    return { open: async () => broker.open(quiet), maxPayload: 10_000 }
  })
})

const settled = () => new Promise(resolve => setImmediate(resolve))
const [EVENT, NEXT] = looseEvents(2).map(event => eventMessage(event, {})) as [BusMessage, BusMessage]

describe('an outage in memory', () => {
  test('rejects publishes, and gives what was not answered again when it ends', async () => {
    const broker = memoryBroker()
    const bus = broker.open(quiet)
    const given: Delivery[] = []
    await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, async delivery => void given.push(delivery))
    await bus.publish(EVENT)
    await settled()
    broker.outage(true)
    given[0]?.ack() // lost on its way
    await expect(bus.publish(NEXT)).rejects.toMatchObject({ code: 'bus_unreachable' })
    expect(await bus.health()).toMatchObject({ reachable: false })
    broker.outage(false)
    await settled()
    expect(given.map(({ count }) => count)).toEqual([1, 2])
    expect(broker.kept('turns')).toHaveLength(1)
  })

  test('that comes while the broker is slow leaves unsaid what it kept', async () => {
    const broker = memoryBroker()
    const bus = broker.open(quiet)
    broker.slow(true)
    const refusal = bus.publish(EVENT).then(
      () => null,
      (error: unknown) => error,
    )
    broker.outage(true)
    expect(await refusal).toMatchObject({ code: 'bus_unreachable' })
    expect(broker.kept('turns')).toHaveLength(1)
  })

  test('a slow broker says so when it is fast again', async () => {
    const broker = memoryBroker()
    const bus = broker.open(quiet)
    broker.slow(true)
    let said = false
    const publishing = bus.publish(EVENT).then(() => (said = true))
    await settled()
    expect(said).toBe(false)
    broker.slow(false)
    await publishing
  })
})

describe('without a clock', () => {
  test('nothing comes again by itself, and everything unanswered at `redeliver`', async () => {
    const broker = memoryBroker()
    const bus = broker.open(quiet)
    const given: Delivery[] = []
    await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, async delivery => {
      given.push(delivery)
      if (delivery.count === 1) delivery.nak()
    })
    await bus.publish(EVENT)
    await bus.publish(NEXT)
    await settled()
    expect(given.map(({ count }) => count)).toEqual([1, 1])
    broker.redeliver()
    await settled()
    expect(given.map(({ count }) => count)).toEqual([1, 1, 2, 2])
  })
})

test('the oldest messages go when there are too many, and a consumer that is late goes on behind them', async () => {
  const broker = memoryBroker({ most: 8 })
  const bus = broker.open(quiet)
  const events = looseEvents(30)
  for (const event of events) await bus.publish(eventMessage(event, {}))
  expect(broker.kept('turns').length).toBeLessThanOrEqual(10)
  const ids: (string | undefined)[] = []
  await bus.consume('late', { subject: turnsFilter(), from: 'start' }, async ({ headers, ack }) => {
    ids.push(headers['ce-id'])
    ack()
  })
  await settled()
  expect(ids).toEqual(broker.kept('turns').map(({ id }) => id))
})
