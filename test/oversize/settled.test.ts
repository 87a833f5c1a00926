// A large result that came by another way than its tool's return: from `reconcile`, or from an operator.

import { afterEach, describe, expect, test } from 'vitest'
import type { Event } from '../../machines/events.ts'
import { ANA, calls, houseOn, reading, says, textOf, wordsIn, type House } from './house.ts'

const SIZE = 2_000
const limits = { recordBytes: 500 }
const rounds = [calls('pay'), says('Done.')]
const text = textOf(SIZE)

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

/** A turn whose payment was started by a worker that died in it, as the next worker leaves it. */
async function inDoubt(blobs: 'store' | undefined, reconcile?: () => { happened: unknown }) {
  const house = houseOn()
  houses.push(house)
  const started = Promise.withResolvers<void>()
  const pay = reading(
    'pay',
    'at-most-once',
    () => {
      started.resolve()
      return new Promise(() => undefined)
    },
    reconcile === undefined ? {} : { reconcile },
  )
  const options = { rounds, tools: [pay.tool], limits, ...(blobs === undefined ? {} : { blobs }) }
  const first = await house.live(options)
  const turn = await first.runtime.spawn({ input: 'Pay.', principal: ANA })
  await started.promise
  await first.die()
  const { runtime, requests } = await house.live(options)
  await runtime.recover(turn.id)
  const result = async () => (await runtime.get(turn.id)).result()
  return { house, runtime, requests, turn, result, runs: pay.runs }
}

function settledIn(events: readonly Event[]) {
  return events.flatMap(event => (event.type === 'call.settled' ? [event.data.recorded] : []))[0]
}

describe.each([
  ['with a blob store', 'store' as const],
  ['without one', undefined],
])('a large result, %s', (_, blobs) => {
  const shown = (requests: Parameters<typeof wordsIn>[0]) => wordsIn(requests)[0] === text

  test('from reconcile is recorded as any, and the turn goes on with it', async () => {
    const { house, turn, requests, result, runs } = await inDoubt(blobs, () => ({ happened: text }))
    expect((await result()).state).toBe('completed')
    const recorded = settledIn(await house.events(turn.id))
    expect([recorded?.truncated, recorded?.blob !== undefined]).toEqual([true, blobs === 'store'])
    expect([shown(requests[0]), runs()]).toEqual([blobs === 'store', 1])
  })

  test('from an operator is recorded as any, and the turn goes on with it', async () => {
    const { house, runtime, turn, requests, result, runs } = await inDoubt(blobs)
    expect(await result()).toMatchObject({ state: 'failed', code: 'tool_outcome_unknown' })
    await runtime.settle(turn.id, 1, { as: ANA, happened: text })
    await runtime.recover(turn.id)
    expect((await result()).state).toBe('completed')
    const recorded = settledIn(await house.events(turn.id))
    expect([recorded?.truncated, recorded?.blob !== undefined]).toEqual([true, blobs === 'store'])
    expect([shown(requests[0]), runs()]).toEqual([blobs === 'store', 1])
  })
})

describe('a call that ran again for its short form, and is in doubt again', () => {
  /** Read, asked on with, read again by the second worker, which dies in it. */
  async function readTwice(reconcile: () => { happened: unknown }) {
    const house = houseOn()
    houses.push(house)
    const again = Promise.withResolvers<void>()
    const read = reading(
      'read',
      'idempotent',
      nth => {
        if (nth === 1) return text
        again.resolve()
        return new Promise(() => undefined)
      },
      { reconcile },
    )
    const small = reading('small', 'read-only', () => 'small')
    const options = { rounds: [calls('read'), calls('small'), says('Done.')], tools: [read.tool, small.tool], limits }
    const first = await house.live({ ...options, stuckAt: 3 })
    const turn = await first.runtime.spawn({ input: 'Read it.', principal: ANA })
    await first.stuck
    await first.die()
    const second = await house.live(options)
    await again.promise
    await second.die()
    const third = await house.live(options)
    await third.runtime.recover(turn.id)
    return (await third.runtime.get(turn.id)).result()
  }

  test('is settled with the result that later rounds were given', async () => {
    expect(await readTwice(() => ({ happened: text }))).toMatchObject({ state: 'completed' })
  })

  test('fails the turn with any other result', async () => {
    expect(await readTwice(() => ({ happened: textOf(SIZE + 1) }))).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
  })
})
