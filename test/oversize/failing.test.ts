// A blob store that fails loses nothing: what cannot be kept is recorded short; what cannot be got is asked for again, and what is
// gone ends the turn, which says that the call did complete.

import { afterEach, describe, expect, test } from 'vitest'
import type { Blobs } from '../../machines/ports/world.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { ANA, calls, houseOn, reading, recordsIn, says, textOf, wordsIn, type House, type LifeOptions } from './house.ts'

const SIZE = 2_000
const limits = { recordBytes: 500 }
const rounds = [calls('read'), says('Done.')]

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

function house(): House {
  const opened = houseOn()
  houses.push(opened)
  return opened
}

const kept = (): Blobs => openMemory(memoryDatabase()).blobs

/** A turn that reads something large once, driven to its end. */
async function readOnce(options: Partial<LifeOptions>) {
  const place = house()
  const read = reading('read', 'at-most-once', () => textOf(SIZE))
  const life = await place.live({ rounds, tools: [read.tool], limits, ...options })
  const turn = await life.runtime.spawn({ input: 'Read it.', principal: null })
  return { ...life, turn, result: await turn.result(), events: await place.events(turn.id), runs: read.runs() }
}

describe('a blob store that cannot keep a result', () => {
  const REFUSING: readonly (readonly [name: string, put: Blobs['put']])[] = [
    ['rejects', async () => Promise.reject(new Error('disk full: CANARY'))],
    [
      'throws',
      () => {
        throw new Error('no connection: CANARY')
      },
    ],
    ['gives nothing for a reference', async () => undefined as unknown as string],
    ['gives no short reference', async () => 'CANARY'.repeat(1_000)],
  ]

  test.each(REFUSING)('and %s: the short form is recorded, the turn goes on, and the log has a line', async (_, put) => {
    const { result, events, lines, requests, runs } = await readOnce({ blobs: { put, get: async () => null } })
    expect([result.state, runs]).toEqual(['completed', 1])
    const [record] = recordsIn(events)
    expect(record).toMatchObject({ truncated: true, bytes: SIZE })
    expect(record).not.toHaveProperty('blob')
    expect(wordsIn(requests[1])[0]).toMatch(/\[truncated: /)
    const told = lines.filter(line => line.startsWith('a result could not be kept whole'))
    expect(told).toEqual([expect.stringContaining(`ordinal=1 bytes=${SIZE} error=store_unreachable`)])
    expect(lines.join()).not.toContain('CANARY')
  })

  test('is asked before the record is appended', async () => {
    const order: string[] = []
    const place = house()
    const blobs: Blobs = {
      put: async turnId => {
        order.push(`kept, ${(await place.events(turnId)).filter(event => event.type === 'call.recorded').length} recorded`)
        return 'there'
      },
      get: async () => null,
    }
    const read = reading('read', 'read-only', () => textOf(SIZE))
    const { runtime } = await place.live({ rounds, tools: [read.tool], limits, blobs })
    const turn = await runtime.spawn({ input: 'Read it.', principal: null })
    await turn.result()
    expect(order).toEqual(['kept, 0 recorded'])
    expect(recordsIn(await place.events(turn.id))[0]?.blob).toBe('there')
  })
})

describe('a whole result that the model is to be given', () => {
  const GONE: readonly (readonly [name: string, get: (blobs: Blobs) => Blobs['get']])[] = [
    ['is gone', () => async () => null],
    ['was changed', blobs => async reference => (await blobs.get(reference))?.map((byte, at) => (at === 100 ? byte ^ 1 : byte)) ?? null],
    ['was cut off', blobs => async reference => (await blobs.get(reference))?.subarray(1) ?? null],
  ]

  test.each(GONE)('and that %s fails the turn, which says that the call did complete', async (_, get) => {
    const blobs = kept()
    const { result, events, requests, runs } = await readOnce({ blobs: { put: blobs.put, get: get(blobs) } })
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(events.at(-1)).toMatchObject({ type: 'turn.failed', data: { message: expect.stringMatching(/^Call 1 did complete/) as string } })
    expect([requests.length, runs]).toEqual([1, 1])
  })

  test('is missed too where the next worker has no blob store', async () => {
    const place = house()
    const read = reading('read', 'read-only', () => textOf(SIZE))
    const first = await place.live({ rounds, stuckAt: 2, tools: [read.tool], limits, blobs: 'store' })
    const turn = await first.runtime.spawn({ input: 'Read it.', principal: null })
    await first.stuck
    await first.die()
    const second = await place.live({ rounds, tools: [read.tool], limits })
    await second.runtime.recover(turn.id)
    const again = await second.runtime.get(turn.id)
    expect(await again.result()).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(second.requests).toHaveLength(0)
  })

  test('is asked for again while the blob store fails', async () => {
    const blobs = kept()
    let asked = 0
    const get: Blobs['get'] = async reference => {
      asked += 1
      if (asked < 3) throw new Error('no connection: CANARY')
      return blobs.get(reference)
    }
    const { result, requests, lines } = await readOnce({ blobs: { put: blobs.put, get } })
    expect(result.state).toBe('completed')
    expect(wordsIn(requests[1])).toEqual([textOf(SIZE)])
    expect(lines.filter(line => line.includes('whole results could not be loaded'))).toHaveLength(2)
    expect(lines.join()).not.toContain('CANARY')
  })

  test('is asked for as long as the turn has time, and no longer', async () => {
    const failing: Blobs = { put: kept().put, get: async () => Promise.reject(new Error('no connection')) }
    const { result } = await readOnce({ blobs: failing, limits: { ...limits, turnTimeoutMs: 1_500 } })
    expect(result).toMatchObject({ state: 'exhausted', limit: 'turnTimeoutMs' })
  })

  test('is not asked for any more once the turn is cancelled', async () => {
    const asked = Promise.withResolvers<void>()
    const failing: Blobs = {
      put: kept().put,
      get: async () => {
        asked.resolve()
        throw new Error('no connection')
      },
    }
    const place = house()
    const read = reading('read', 'read-only', () => textOf(SIZE))
    const { runtime } = await place.live({ rounds, tools: [read.tool], limits, blobs: failing })
    const turn = await runtime.spawn({ input: 'Read it.', principal: ANA })
    await asked.promise
    await runtime.cancel(turn.id, { as: ANA })
    expect((await turn.result()).state).toBe('cancelled')
  })

  test('makes a replay that cannot reach it fail, and say nothing of the record', async () => {
    const blobs = kept()
    let reachable = true
    const get: Blobs['get'] = reference => (reachable ? blobs.get(reference) : Promise.reject(new Error('no connection')))
    const { runtime, turn } = await readOnce({ blobs: { put: blobs.put, get } })
    reachable = false
    await expect(runtime.replay(turn.id)).rejects.toMatchObject({ code: 'store_unreachable' })
    expect(await runtime.replay(turn.id, { at: 3 })).toMatchObject({ same: true })
  })
})

describe('what a host gives for a blob store', () => {
  const WRONG: readonly (readonly [name: string, blobs: unknown])[] = [
    ['a text', 'disk'],
    ['half a store', { put: async () => '' }],
    ['null', null],
  ]

  test.each(WRONG)('is refused at the door: %s', async (_, blobs) => {
    await expect(house().live({ rounds, blobs: blobs as Blobs })).rejects.toMatchObject({ code: 'option_invalid' })
  })
})
