// What is held in memory for one ask is bounded: whole results from the newest back, as much as `limits.blobBytes` together. A blob
// store that never answers is not waited for without end.

import { afterEach, describe, expect, test } from 'vitest'
import { putBlob } from '../../machines/blobs.ts'
import type { Blobs } from '../../machines/ports/world.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { heldClock } from '../stage/world.ts'
import { calls, houseOn, reading, says, textOf, wordsIn, type House } from './house.ts'

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

describe('whole results of one ask', () => {
  const sizes = [1_500, 3_000, 2_000]

  test.each([
    [6_500, [1_500, 3_000, 2_000]],
    [6_499, [null, 3_000, 2_000]],
    [4_999, [1_500, null, 2_000]],
    [3_000, [null, null, 2_000]],
  ])('take %i bytes at most together', async (blobBytes, whole) => {
    const house = houseOn()
    houses.push(house)
    const inner = openMemory(memoryDatabase()).blobs
    let got = 0
    const blobs: Blobs = {
      put: inner.put,
      get: async reference => {
        got += 1
        return inner.get(reference)
      },
    }
    const read = reading('read', 'read-only', nth => textOf(sizes[nth - 1] ?? 0))
    const { runtime, requests } = await house.live({
      rounds: [calls('read'), calls('read'), calls('read'), says('Done.')],
      tools: [read.tool],
      blobs,
      limits: { recordBytes: 500, blobBytes, repeats: 10 },
    })
    const turn = await runtime.spawn({ input: 'Read.', principal: null })
    expect((await turn.result()).state).toBe('completed')
    got = 0
    const shown = wordsIn(requests.at(-1)).map((words, index) => (words === textOf(sizes[index] ?? 0) ? sizes[index] : null))
    expect(shown).toEqual(whole)
    expect((await runtime.replay(turn.id)).same).toBe(true)
    expect(got).toBe(3)
  })
})

describe('a blob store that does not answer', () => {
  test('is waited for a minute', async () => {
    const clock = heldClock()
    const silent: Blobs = { put: () => new Promise(() => undefined), get: async () => null }
    const putting = putBlob(silent, clock, 'turn', 'digest', new Uint8Array())
    const ended = putting.then(
      () => 'kept',
      (error: { code?: string }) => error.code,
    )
    clock.jump(59_999)
    expect(await Promise.race([ended, new Promise(resolve => setImmediate(() => resolve('waits')))])).toBe('waits')
    clock.jump(1)
    expect(await ended).toBe('store_unreachable')
  })
})
