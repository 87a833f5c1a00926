// Goal: the bus on NATS is a bus like any other, under names of its own on a broker that others use too.

import { connect } from '@nats-io/transport-node'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { eventMessage } from '../../bus/message.ts'
import { brokerNames } from '../../bus/nats-prefix.ts'
import { nats } from '../../bus/nats.ts'
import { turnsFilter } from '../../bus/subjects.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { describeWithNats, freshPrefix } from '../servers.ts'
import { busSuite } from './bus-suite.ts'
import { looseEvents, quiet, until } from './world.ts'

const BROKER_LIMIT = 1_048_576
const [EVENT] = looseEvents(1) as [StoredEvent]

describeWithNats('the bus on NATS', url => {
  const prefixes: string[] = []
  const freshNames = () => {
    const prefix = freshPrefix()
    prefixes.push(prefix)
    return prefix
  }

  afterAll(async () => {
    const connection = await connect({ servers: url })
    const { streams } = await jetstreamManager(connection)
    for (const prefix of prefixes) for await (const { config } of streams.list(`${prefix}-replays.>`)) await streams.delete(config.name)
    await connection.close()
  })

  busSuite(async ackWaitMs => {
    const prefix = freshNames()
    return { open: () => nats(url, { prefix, ackWaitMs }).open(quiet), maxPayload: BROKER_LIMIT }
  })

  async function managed() {
    const connection = await connect({ servers: url })
    onTestFinished(() => connection.close())
    return { connection, manager: await jetstreamManager(connection) }
  }

  test('names of another installation stay apart: its streams, subjects and consumers', async () => {
    const [mine, other] = [freshNames(), freshNames()]
    const buses = await Promise.all([mine, other].map(prefix => nats(url, { prefix }).open(quiet)))
    const [bus, another] = buses as [(typeof buses)[0] & {}, (typeof buses)[0] & {}]
    onTestFinished(async () => void (await Promise.all([bus.close(), another.close()])))
    const heard: string[] = []
    await another.consume('same-name', { subject: turnsFilter(), from: 'start' }, async ({ subject, ack }) => {
      heard.push(subject)
      ack()
    })
    await bus.publish(eventMessage(EVENT, {}))
    await another.publish(eventMessage(EVENT, {}))
    await until('its own event', () => heard.length > 0)
    expect(await Promise.all([bus.health(), another.health()])).toMatchObject([{ messages: 1 }, { messages: 1 }])
    const { manager } = await managed()
    const { config } = await manager.streams.info(brokerNames(mine).stream.turns)
    const kept = { storage: 'file', retention: 'limits', discard: 'old' }
    expect(config).toMatchObject({ name: mine.toUpperCase(), subjects: [`${mine}.>`], ...kept })
    await expect(manager.streams.info(brokerNames(mine).stream.replays)).rejects.toMatchObject({ status: 404 }) // not needed yet
    await bus.publish(eventMessage(EVENT, {}, 'replays'))
    expect((await manager.streams.info(`${mine.toUpperCase()}-REPLAYS`)).config.subjects).toEqual([`${mine}-replays.>`])
  })

  test('a stream that an operator shaped keeps its shape and gets our subjects', async () => {
    const prefix = freshNames()
    const { manager } = await managed()
    const name = brokerNames(prefix).stream.turns
    await manager.streams.add({ name, subjects: [`${prefix}.only-this`, `${prefix}-other`], max_msgs: 77 })
    const bus = await nats(url, { prefix }).open(quiet)
    onTestFinished(() => bus.close())
    await bus.publish(eventMessage(EVENT, {}))
    expect((await manager.streams.info(name)).config).toMatchObject({ max_msgs: 77, subjects: [`${prefix}-other`, `${prefix}.>`] })
  })

  test('a stream that was deleted under it is made again, and its consumer with it', async () => {
    const prefix = freshNames()
    const { manager } = await managed()
    const bus = await nats(url, { prefix }).open(quiet)
    onTestFinished(() => bus.close())
    const ids: (string | undefined)[] = []
    await bus.consume('reader', { subject: turnsFilter(), from: 'new' }, async ({ headers, ack }) => {
      ids.push(headers['ce-id'])
      ack()
    })
    await manager.streams.delete(brokerNames(prefix).stream.turns)
    const publishes = () =>
      bus.publish(eventMessage(EVENT, {})).then(
        () => true,
        () => false,
      )
    await expect(bus.publish(eventMessage(EVENT, {}))).rejects.toMatchObject({ code: 'bus_unreachable' })
    await until('a publish that is taken', publishes)
    await until('the event', () => ids.length > 0, 60_000)
    expect(ids[0]).toBe(`${EVENT.turnId}:1`)
  })

  test('a connection of the host is used and left open', async () => {
    const prefix = freshNames()
    const { connection } = await managed()
    const bus = await nats(connection, { prefix }).open(quiet)
    await bus.publish(eventMessage(EVENT, {}))
    await bus.close()
    expect(connection.isClosed()).toBe(false)
  })

  test('health names the server without what opens it', async () => {
    const bus = await nats(url.replace('nats://', 'nats://name:secret@'), { prefix: freshNames() }).open(quiet)
    onTestFinished(() => bus.close())
    const { server } = await bus.health()
    expect(server).toMatch(/^nats:\/\//)
    expect(server).not.toContain('secret')
  })
})

const NO_PREFIX = ['', 'Turns', 'turns.x', 'a b', 'replays', 'x-replays', 'x-progress', '9', 'a'.repeat(33)]

test.each(NO_PREFIX)('the prefix %j is refused', prefix => {
  expect(() => nats('nats://127.0.0.1:4222', { prefix })).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})

test.each(['', 'http://host:1', 'nats://', 'nats://user:pass@'])('the server %j is refused, and not repeated in the error', server => {
  let message = ''
  try {
    nats(server)
  } catch (error) {
    expect(error).toMatchObject({ code: 'option_invalid' })
    message = String(error)
  }
  expect(message).toContain('no URL')
  expect(message).not.toContain('pass@')
})

test.each([null, undefined, 4222, {}])('the server %j is refused', server => {
  expect(() => nats(server as string)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})
