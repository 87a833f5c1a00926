// Goal: a store is verified as a whole: its streams, its rows against them, its feed against both; and what is there is not doubted.

import { beforeEach, describe, expect, test } from 'vitest'
import type { FeedPage, Store } from '../../machines/ports/store.ts'
import { verifyAll, verifyTurn, type VerifyProgress } from '../../machines/verify-store.ts'
import { stateName } from '../../machines/state.ts'
import { openMemory } from '../../store/memory.ts'
import { keep, type Kept } from './kept.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'

const RUN = [say.calls('find'), say.admitted(1), say.dispatched(1), say.recorded(1), say.says('Done.'), ends.completed]

let store: Store

beforeEach(() => {
  store = openMemory()
})

async function problems(of: Store = store): Promise<[number, string][]> {
  const { findings } = await verifyAll(of, {})
  return findings.map(({ version, problem }) => [version, problem])
}

describe('a sound store', () => {
  test('has no findings, and everything in it was looked at', async () => {
    for (let turn = 0; turn < 3; turn += 1) await keep(store, RUN)
    expect(await verifyAll(store, {})).toEqual({ ok: true, turns: 3, events: 21, erased: 0, unjudged: 0, unfed: 0, findings: [] })
  })

  test('is told of as it is gone through', async () => {
    for (let turn = 0; turn < 3; turn += 1) await keep(store, RUN)
    const progress: VerifyProgress[] = []
    await verifyAll(store, {}, each => progress.push(each))
    expect(progress).toEqual([
      { turns: 1, events: 7 },
      { turns: 2, events: 14 },
      { turns: 3, events: 21 },
    ])
  })

  test('of no turns is sound', async () => {
    expect(await verifyAll(store, {})).toMatchObject({ ok: true, turns: 0 })
  })

  test('is verified for one tenant alone', async () => {
    await keep(store, RUN, { tenant: 'ours' })
    const theirs = await keep(store, RUN, { tenant: 'theirs' })
    await store.damage(theirs.turnId, 3)
    expect(await verifyAll(store, { tenant: 'ours' })).toMatchObject({ ok: true, turns: 1 })
    expect(await verifyAll(store, { tenant: 'theirs' })).toMatchObject({ ok: false, turns: 1 })
  })

  test('in which payloads were erased is sound, and says how many', async () => {
    const { turnId } = await keep(store, RUN)
    await store.erase(turnId, [5])
    expect(await verifyAll(store, {})).toMatchObject({ ok: true, erased: 1, unjudged: 3, findings: [] })
  })

  test('that is appended to meanwhile is checked as far as the row went, and on', async () => {
    const { turnId, state, events } = await keep(store, RUN.slice(0, 3))
    const before = await store.turn(turnId)
    if (before === null) throw new Error('the turn was kept')
    const more = say.told({ events, state }, say.recorded(1))
    await store.append({ turnId, expected: 4, head: state.head, epoch: null, events: more.events.slice(-1), projection: shown(more) })
    expect(await verifyTurn(store, before)).toMatchObject({ ok: true, events: 5 })
  })
})

function shown({ state }: say.Story) {
  return { state: stateName(state), code: null, attempt: 1, tools: [], outcomes: [], wakeAt: null }
}

describe('harm to a stream', () => {
  test('that was taken from its middle is found', async () => {
    const { turnId } = await keep(store, RUN)
    await store.damage(turnId, 4)
    expect(await problems()).toContainEqual([5, 'version 4 is missing'])
  })

  test('that was taken from its end is found by its row', async () => {
    const { turnId } = await keep(store, RUN)
    await store.damage(turnId, 7)
    expect(await problems()).toContainEqual([7, 'the stream ends at version 6 and is said to end at 7'])
  })

  test('that is gone altogether is found by its row', async () => {
    const { turnId, events } = await keep(store, RUN)
    for (const { version } of events) await store.damage(turnId, version)
    expect(await problems()).toContainEqual([1, 'the stream ends at version 0 and is said to end at 7'])
  })

  test('of one turn is found of that turn', async () => {
    const [harmed, sound] = [await keep(store, RUN), await keep(store, RUN)]
    await store.damage(harmed.turnId, 4)
    expect(await ofTurn(harmed)).toMatchObject({ ok: false, turns: 1 })
    expect(await ofTurn(sound)).toMatchObject({ ok: true, turns: 1 })
  })

  const ofTurn = async ({ turnId }: Kept) => {
    const row = await store.turn(turnId)
    if (row === null) throw new Error('the turn was kept')
    return verifyTurn(store, row)
  }
})

describe('a row that shows something else than its stream', () => {
  test.each([
    [{ state: 'failed' as const }, '`state` of the row is not what the stream says'],
    [{ code: 'internal' }, '`code` of the row is not what the stream says'],
    [{ attempt: 2 }, '`attempt` of the row is not what the stream says'],
    [{ tools: ['pay'] }, '`tools` of the row is not what the stream says'],
    [{ outcomes: [] }, '`outcomes` of the row is not what the stream says'],
  ])('%o is found', async (projection, problem) => {
    await keep(store, RUN, { projection })
    expect(await problems()).toEqual([[7, problem]])
  })

  test('in its head is found', async () => {
    const { turnId } = await keep(store, RUN)
    const row = await store.turn(turnId)
    if (row === null) throw new Error('the turn was kept')
    const { findings } = await verifyTurn(store, { ...row, head: 'f'.repeat(64) })
    expect(findings.map(finding => finding.problem)).toEqual(['the stream has another head here than is said of the turn'])
  })

  test('is let be in its wake-up, which others move', async () => {
    await keep(store, RUN, { projection: { wakeAt: 12 } })
    expect(await problems()).toEqual([])
  })
})

describe('a feed that is not the store', () => {
  /** The same store, whose feed is given otherwise. */
  const feeding = (change: (events: FeedPage['events']) => FeedPage['events']): Store => ({
    ...store,
    feed: async (cursor, limit) => {
      const page = await store.feed(cursor, limit)
      return { ...page, events: change(page.events) }
    },
  })

  test('because a version is missing in it is found', async () => {
    await keep(store, RUN)
    const holed = feeding(events => events.filter(event => event.version !== 4))
    expect(await problems(holed)).toEqual([[5, 'the feed gives it right behind version 3']])
  })

  test('because it gives a version again is found', async () => {
    await keep(store, RUN)
    expect(await problems(feeding(events => events.flatMap(event => (event.version === 4 ? [event, event] : [event]))))).toEqual([
      [4, 'the feed gives it again, or out of order'],
    ])
  })

  test('because it gives versions in another order is found', async () => {
    await keep(store, RUN)
    const swapped = feeding(events => events.toSorted((a, b) => b.version - a.version))
    expect((await problems(swapped)).length).toBeGreaterThan(0)
  })

  test('because it ends before the stream is found', async () => {
    await keep(store, RUN)
    expect(await problems(feeding(events => events.filter(event => event.version < 6)))).toEqual([
      [6, 'the feed ends at version 5 of the turn, the stream at version 7'],
    ])
  })

  test('yet, because an older transaction holds its horizon, is no finding but is said', async () => {
    await keep(store, RUN)
    const late = feeding(events => events.filter(event => event.version < 6))
    const since = (await store.now()) - 1
    const health = async () => ({ ...(await store.health()), horizon: [{ pid: 1, database: 'other', since }] })
    expect(await verifyAll({ ...late, health }, {})).toMatchObject({ ok: true, unfed: 2, findings: [] })
  })

  test('is gone through in pages, those that hold nothing too', async () => {
    const turns: Kept[] = []
    for (let turn = 0; turn < 80; turn += 1) turns.push(await keep(store, RUN))
    expect(await verifyAll(store, {})).toMatchObject({ ok: true, turns: 80, events: 560, unfed: 0 })
  })
})
