// A fork has its own whole results, and fetches again what its source has only a short form of (D9, D13).

import { afterEach, describe, expect, test } from 'vitest'
import type { Event } from '../../machines/events.ts'
import type { Blobs } from '../../machines/ports/world.ts'
import { ANA, calls, houseOn, reading, recordsIn, says, textOf, wordsIn, type House, type LifeOptions } from './house.ts'

const SIZE = 2_000
const limits = { recordBytes: 500 }
const rounds = [calls('read'), calls('send'), says('Done.')]
const text = textOf(SIZE)

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

/** A turn that read something large and waits for a person's word on the next call. */
async function held(options: Partial<LifeOptions> = {}) {
  const house = houseOn()
  houses.push(house)
  const read = reading('read', 'read-only', () => text)
  const send = reading('send', 'at-most-once', () => 'sent', { approval: 'always' })
  const life = await house.live({ rounds, tools: [read.tool, send.tool], limits, ...options })
  const turn = await life.runtime.spawn({ input: 'Read it and send it.', principal: ANA })
  expect((await turn.result()).state).toBe('holding')
  return { house, ...life, turn, read, send, events: await house.events(turn.id) }
}

function versionOf(events: readonly Event[], type: Event['type'], nth = 1): number {
  return events.filter(event => event.type === type)[nth - 1]?.version ?? 0
}

describe('a fork of a turn with a whole result', () => {
  test('has it under its own name: erasing the source leaves the fork whole', async () => {
    const { house, runtime, requests, turn, read, events } = await held({ blobs: 'store' })
    const fork = await runtime.fork(turn.id, { at: versionOf(events, 'call.recorded') })
    await house.store.erase(turn.id)
    expect((await fork.result()).state).toBe('holding')
    const [record] = recordsIn(await house.events(fork.id))
    expect(record?.blob).toBe(`${fork.id}/${record?.digest}`)
    expect(wordsIn(requests.at(-1))).toEqual([text])
    expect([requests.length, read.runs()]).toEqual([3, 1])
    expect(await runtime.replay(fork.id)).toMatchObject({ state: 'holding', same: true })
  })

  test('is refused when the whole result is not there any more', async () => {
    const kept = new Map<string, Uint8Array>()
    const blobs: Blobs = {
      put: async (turnId, _digest, bytes) => {
        kept.set(turnId, bytes)
        return turnId
      },
      get: async reference => kept.get(reference) ?? null,
    }
    const { runtime, turn, events } = await held({ blobs })
    kept.clear()
    const forking = runtime.fork(turn.id, { at: versionOf(events, 'call.recorded') })
    await expect(forking).rejects.toMatchObject({ code: 'replay_source_missing', details: { ordinal: 1 } })
  })
})

describe('a fork of a turn with a short form', () => {
  test('fetches it again before it asks its model', async () => {
    const { house, runtime, turn, read, events } = await held()
    const fork = await runtime.fork(turn.id, { at: versionOf(events, 'call.recorded') })
    expect((await fork.result()).state).toBe('holding')
    expect(read.runs()).toBe(2)
    expect(recordsIn(await house.events(fork.id)).map(record => record.dispatch)).toEqual([1, 2])
  })

  test('fetches it again before it starts a call of a later round', async () => {
    const { house, runtime, turn, read, events } = await held()
    const fork = await runtime.fork(turn.id, { at: versionOf(events, 'call.held') })
    expect((await fork.result()).state).toBe('holding')
    expect(read.runs()).toBe(2)
    const types = (await house.events(fork.id)).map(event => event.type)
    expect(types.lastIndexOf('call.recorded')).toBeLessThan(types.indexOf('call.held'))
  })

  test('is fetched once, also when the fork is driven by one who begins to live later', async () => {
    const { house, runtime, turn, read, events, die } = await held()
    const fork = await runtime.fork(turn.id, { at: versionOf(events, 'call.recorded') })
    const first = await fork.result()
    await die()
    const send = reading('send', 'at-most-once', () => 'sent', { approval: 'always' })
    const second = await house.live({ rounds, tools: [read.tool, send.tool], limits })
    await second.runtime.approve(first.calls[1]?.approvalId ?? '', { as: ANA, via: 'app' })
    await second.runtime.recover(fork.id)
    expect((await (await second.runtime.get(fork.id)).result()).state).toBe('completed')
    expect(read.runs()).toBe(2)
  })
})
