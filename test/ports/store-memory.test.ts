// The memory store passes the suite of the port; and what only it promises: nothing but its inputs decides what it does.

import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '../../machines/events.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { UNSERVED_MS } from '../../store/patience.ts'
import { HOUR, MINUTE } from './stage.ts'
import { storeSuite } from './store-suite.ts'
import { appendAt, callRecorded, newTurn, placeBehind } from './streams.ts'

describe('the store in memory', () => {
  storeSuite(async () => {
    const database = memoryDatabase()
    return {
      stores: [openMemory(database), openMemory(database)],
      foreign: cursor => cursor.replace(database.instance, memoryDatabase().instance),
      tellsWakes: true,
    }
  })
})

describe('a memory database', () => {
  it('takes its time from its input alone', async () => {
    let time = 1000
    const store = openMemory(memoryDatabase({ epochMs: () => time, instance: 'simulated' }))
    expect(await store.now()).toBe(1000)
    time += MINUTE
    await store.advance(5)
    expect(await store.now()).toBe(1005 + MINUTE)
    expect(store.time()).toBe(1005 + MINUTE)
    expect(await store.feedEnd()).toBe('simulated:0')
  })

  it('gives the same answers to the same calls', async () => {
    const turn = newTurn()
    const appends = [appendAt(placeBehind(turn)), appendAt(placeBehind(turn))]
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const store = openMemory(memoryDatabase({ epochMs: () => 1000, instance: 'simulated' }))
        await store.enlist('w', MINUTE)
        const opened = [await store.open(turn), await store.claim({ worker: 'w', count: 1, runtime: 'default', tools: [], format: 1 })]
        const appended = await Promise.all(appends.map(store.append))
        return [opened, appended, await store.turn(turn.turnId), await store.feed(null, 10), await store.health()]
      }),
    )
    expect(runs[0]).toEqual(runs[1])
  })

  it('lets a turn go to a worker without its tools when those with them were gone for long, or never said what they have', async () => {
    let time = 1_000
    const store = openMemory(memoryDatabase({ epochMs: () => time }))
    const turn = newTurn({ offers: ['refund'] })
    await store.open(turn)
    await store.enlist('able', 10 * HOUR, { runtime: 'default', tools: ['refund'] })
    await store.enlist('silent', 10 * HOUR)
    await store.enlist('other', 10 * HOUR, { runtime: 'default', tools: [] })
    const claim = () => store.claim({ worker: 'other', count: 1, runtime: 'default', tools: [], format: 1 })
    time += HOUR
    await store.retire('able')
    expect(await claim(), 'one is alive that may have it').toEqual([])
    await store.retire('silent')
    time += UNSERVED_MS - 1
    expect(await claim(), 'a moment too early').toEqual([])
    time += 1
    expect(await claim()).toMatchObject([{ turnId: turn.turnId }])
  })

  it('orders commits by the order of calls, not by who awaits', async () => {
    const store = openMemory()
    const turn = newTurn()
    const [, first, second] = await Promise.all([
      store.open(turn),
      store.append(appendAt(placeBehind(turn))),
      store.append(appendAt(placeBehind(turn))),
    ])
    expect([first, second]).toEqual([{ answer: 'accepted' }, { answer: 'moved' }])
  })

  it('outlives the handles on it, and a closed handle answers nothing', async () => {
    const database = memoryDatabase()
    const [one, two] = [openMemory(database), openMemory(database)]
    const turn = newTurn()
    const told: string[] = []
    one.onWake(turnId => told.push(turnId))
    await one.open(turn)
    await one.close()
    await expect(one.read(turn.turnId)).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(one.append(appendAt(placeBehind(turn)))).rejects.toMatchObject({ code: 'store_unreachable' })
    told.length = 0
    expect(await two.append(appendAt(placeBehind(turn)))).toEqual({ answer: 'accepted' })
    await Promise.resolve()
    expect(told).toEqual([])
  })

  it('hands out nothing that can be changed', async () => {
    const store = openMemory()
    const turn = newTurn({ labels: { a: 'b' } })
    await store.open(turn)
    await store.append(appendAt(placeBehind(turn), { facts: [callRecorded({ list: [1] })] }))
    const [, event] = await store.read(turn.turnId)
    const { result } = (event as StoredEvent).data as { result: { structuredContent: { list: number[] } } }
    expect(() => result.structuredContent.list.push(2)).toThrow(TypeError)
    const secrets = await store.secrets(turn.turnId)
    secrets?.turnKey.fill(0)
    expect([...((await store.secrets(turn.turnId))?.turnKey ?? [])]).toEqual([...turn.turnKey])
  })
})
