// A short form is no record to a worker that takes a turn over from one that died: its call runs again before anything new begins,
// or the turn fails and says that the call did complete. A whole result beside the record is one (D9).

import { afterEach, describe, expect, test } from 'vitest'
import type { Event } from '../../machines/events.ts'
import type { ReplayPolicy } from '../../machines/tool.ts'
import { ANA, calls, houseOn, reading, recordsIn, says, textOf, wordsIn, type House, type LifeOptions } from './house.ts'

const SIZE = 2_000
const limits = { recordBytes: 500 }

const houses: House[] = []

afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

/** A turn that one process drives until its model is stuck, and another one then takes over. */
async function takenOver(options: LifeOptions) {
  const house = houseOn()
  houses.push(house)
  const first = await house.live({ limits, ...options })
  const turn = await first.runtime.spawn({ input: 'Go on.', principal: ANA })
  await first.stuck
  await first.die()
  const { stuckAt: _, ...healthy } = options
  const second = await house.live({ limits, ...healthy })
  await second.runtime.recover(turn.id)
  const result = await (await second.runtime.get(turn.id)).result()
  return { house, turn, second, result, events: await house.events(turn.id) }
}

function typesIn(events: readonly Event[], ...types: readonly Event['type'][]): readonly Event['type'][] {
  return events.map(event => event.type).filter(type => types.includes(type))
}

function messageOf(events: readonly Event[]): string {
  const last = events.at(-1)
  return last?.type === 'turn.failed' ? last.data.message : ''
}

describe('a worker that died behind the record of a large result', () => {
  const rounds = [calls('read'), says('Done.')]

  test.each(['read-only', 'idempotent'] as const)('leaves a short form: a call that is %s runs again', async policy => {
    const read = reading('read', policy, () => textOf(SIZE))
    const { result, events, second } = await takenOver({ rounds, stuckAt: 2, tools: [read.tool] })
    expect(result.state).toBe('completed')
    expect(read.runs()).toBe(2)
    expect(recordsIn(events).map(({ dispatch, truncated }) => [dispatch, truncated])).toEqual([
      [1, true],
      [2, true],
    ])
    expect(second.requests).toHaveLength(1)
  })

  test('leaves a short form: a call that is at-most-once does not, and the turn fails and says that it did complete', async () => {
    const pay = reading('read', 'at-most-once', () => textOf(SIZE))
    const { result, events, second } = await takenOver({ rounds, stuckAt: 2, tools: [pay.tool] })
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(messageOf(events)).toMatch(/^Call 1 did complete/)
    expect([pay.runs(), second.requests.length]).toEqual([1, 0])
  })

  test.each(['read-only', 'idempotent', 'at-most-once'] as const)('leaves a whole result: nothing runs again (%s)', async policy => {
    const read = reading('read', policy, () => textOf(SIZE))
    const { result, second } = await takenOver({ rounds, stuckAt: 2, tools: [read.tool], blobs: 'store' })
    expect(result.state).toBe('completed')
    expect(read.runs()).toBe(1)
    expect(wordsIn(second.requests[0])).toEqual([textOf(SIZE)])
  })

  test('makes the turn fail where its dispatches are used up, and it says that the call did complete', async () => {
    const read = reading('read', 'read-only', () => textOf(SIZE))
    const { result, events } = await takenOver({ rounds, stuckAt: 2, tools: [read.tool], limits: { ...limits, dispatches: 1 } })
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(messageOf(events)).toMatch(/^Call 1 did complete/)
    expect(read.runs()).toBe(1)
  })

  test('makes the turn fail where the real arguments went with it', async () => {
    const read = reading('read', 'idempotent', () => textOf(SIZE))
    const masked = { ...calls('read'), content: [{ call: { id: 'a', name: 'read', arguments: { key: 'CANARY' } } }] }
    const { result, events } = await takenOver({
      rounds: [masked, says('Done.')],
      stuckAt: 2,
      tools: [read.tool],
      redact: { values: ['CANARY'] },
    })
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(messageOf(events)).toMatch(/^Call 1 did complete/)
  })
})

describe('several short forms', () => {
  test('run again one after another, before the model is asked', async () => {
    const [one, two] = [reading('one', 'idempotent', () => textOf(SIZE)), reading('two', 'read-only', () => textOf(SIZE + 1))]
    const small = reading('small', 'read-only', () => 'small')
    const { result, events } = await takenOver({
      rounds: [calls('one', 'small', 'two'), says('Done.')],
      stuckAt: 2,
      tools: [one.tool, two.tool, small.tool],
    })
    expect(result.state).toBe('completed')
    expect([one.runs(), small.runs(), two.runs()]).toEqual([2, 1, 2])
    expect(recordsIn(events).map(record => [record.ordinal, record.dispatch])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [1, 2],
      [3, 2],
    ])
  })
})

describe('a short form that later rounds were given', () => {
  const rounds = [calls('read'), calls('small'), says('Done.')]
  const small = () => reading('small', 'read-only', () => 'small')

  test('is good when the call gives the same again', async () => {
    const read = reading('read', 'read-only', () => textOf(SIZE))
    const { result } = await takenOver({ rounds, stuckAt: 3, tools: [read.tool, small().tool] })
    expect(result.state).toBe('completed')
    expect(read.runs()).toBe(2)
  })

  test('fails the turn when the call gives something else', async () => {
    const read = reading('read', 'read-only', nth => textOf(SIZE + nth))
    const { result, second } = await takenOver({ rounds, stuckAt: 3, tools: [read.tool, small().tool] })
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(second.requests).toHaveLength(0)
  })

  test('may give something else while no round was given it', async () => {
    const read = reading('read', 'read-only', nth => textOf(SIZE + nth))
    const { result } = await takenOver({ rounds: [calls('read'), says('Done.')], stuckAt: 2, tools: [read.tool] })
    expect(result.state).toBe('completed')
  })
})

describe('a worker that died in a later call of the round', () => {
  const POLICIES: readonly ReplayPolicy[] = ['read-only', 'idempotent']

  /** Large, then one that never returns in the first life, then one that must wait for both. */
  async function diedInSecond(large: ReplayPolicy, second: ReplayPolicy) {
    const house = houseOn()
    houses.push(house)
    const started = Promise.withResolvers<void>()
    let dead = false
    const read = reading('read', large, () => textOf(SIZE))
    const slow = reading('slow', second, () => {
      started.resolve()
      return dead ? 'small' : new Promise(() => undefined)
    })
    const last = reading('last', 'read-only', () => 'small')
    const rounds = [calls('read', 'slow', 'last'), says('Done.')]
    const options = { rounds, tools: [read.tool, slow.tool, last.tool], limits: { ...limits, concurrentReads: 1 } }
    const first = await house.live(options)
    const turn = await first.runtime.spawn({ input: 'Go on.', principal: ANA })
    await started.promise
    dead = true
    await first.die()
    const next = await house.live(options)
    await next.runtime.recover(turn.id)
    const result = await (await next.runtime.get(turn.id)).result()
    return { house, turn, next, read, slow, last, result, events: await house.events(turn.id) }
  }

  test.each(POLICIES)('leaves a doubt, which is settled first; then the short form runs again (%s)', async policy => {
    const { result, read, slow, events } = await diedInSecond(policy, 'idempotent')
    expect(result.state).toBe('completed')
    expect([read.runs(), slow.runs()]).toEqual([2, 2])
    expect(recordsIn(events).map(record => [record.ordinal, record.dispatch])).toEqual([
      [1, 1],
      [2, 2],
      [1, 2],
      [3, 1],
    ])
  })

  test('leaves a short form of a call that may not run again: the turn fails for it once the doubt is settled', async () => {
    const { result, read, last, events } = await diedInSecond('at-most-once', 'read-only')
    expect(result).toMatchObject({ state: 'failed', code: 'replay_source_missing' })
    expect(messageOf(events)).toMatch(/^Call 1 did complete/)
    expect([read.runs(), last.runs()]).toEqual([1, 0])
  })

  test('leaves a doubt that nobody can settle: the short form runs again once an operator has', async () => {
    const { house, turn, next, result, read } = await diedInSecond('read-only', 'at-most-once')
    expect(result).toMatchObject({ state: 'failed', code: 'tool_outcome_unknown' })
    expect(read.runs()).toBe(1)
    await next.runtime.settle(turn.id, 2, { as: ANA, happened: 'small' })
    await next.runtime.recover(turn.id)
    expect((await (await next.runtime.get(turn.id)).result()).state).toBe('completed')
    expect(read.runs()).toBe(2)
    expect(typesIn(await house.events(turn.id), 'call.recorded', 'call.settled', 'round.recorded')).toEqual([
      'round.recorded',
      'call.recorded',
      'call.settled',
      'call.recorded',
      'call.recorded',
      'round.recorded',
    ])
  })
})

describe('a worker that only waited for a person', () => {
  test.each(['read-only', 'at-most-once'] as const)('lost nothing at a hold: a call that is %s stands', async policy => {
    const house = houseOn()
    houses.push(house)
    const read = reading('read', policy, () => textOf(SIZE))
    const send = reading('send', 'at-most-once', () => 'sent', { approval: 'always' })
    const options = { rounds: [calls('read', 'send'), says('Done.')], tools: [read.tool, send.tool], limits }
    const first = await house.live(options)
    const turn = await first.runtime.spawn({ input: 'Go on.', principal: ANA })
    const held = await turn.result()
    await first.die()
    const second = await house.live(options)
    await second.runtime.approve(held.calls[1]?.approvalId ?? '', { as: ANA, via: 'app' })
    await second.runtime.recover(turn.id)
    expect((await (await second.runtime.get(turn.id)).result()).state).toBe('completed')
    expect([read.runs(), send.runs()]).toEqual([1, 1])
    expect(wordsIn(second.requests[0])[0]).toMatch(/\[truncated: \d+ of 2000 bytes/)
  })

  test('lost nothing at a question', async () => {
    const house = houseOn()
    houses.push(house)
    const read = reading('read', 'at-most-once', () => textOf(SIZE))
    const ask = reading('ask_user', 'read-only', () => 'never run')
    const options = { rounds: [calls('read', 'ask_user'), says('Done.')], tools: [read.tool, ask.tool], limits }
    const { runtime } = await house.live(options)
    const turn = await runtime.spawn({ input: 'Go on.', principal: ANA })
    expect((await turn.result()).state).toBe('asking')
    await runtime.answer(turn.id, { as: ANA, via: 'app', answer: 'yes' })
    for await (const event of turn.events()) if (event.type === 'turn.completed') break
    expect([(await turn.result()).state, read.runs()]).toEqual(['completed', 1])
  })
})
