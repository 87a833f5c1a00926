// Goal: on a real server too, what was written verifies, exports and forks, and what was taken away is found.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportLines } from '../../machines/export.ts'
import { replay } from '../../machines/replay.ts'
import type { Store } from '../../machines/ports/store.ts'
import { verifyExport } from '../../machines/verify-export.ts'
import { verifyAll } from '../../machines/verify-store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { forkOf, portsOver } from './forked.ts'
import { keep } from './kept.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'

const RUN = [say.calls('find'), say.admitted(1), say.dispatched(1), say.recorded(1), say.says('Done.'), ends.completed]

describeWithPostgres('streams on Postgres', url => {
  let store: Store

  beforeAll(async () => {
    store = await openPostgres(url, { schema: freshSchema(), migrate: true })
  })

  afterAll(() => store.close())

  test('verify with their rows and the feed, and so do their exports, whatever texts they hold', async () => {
    const odd = say.recorded(1, say.resultOf('NUL \u0000, half a pair \ud800, \\u0000, ü'))
    const { turnId } = await keep(store, [...RUN.slice(0, 3), odd, ...RUN.slice(4)], { tenant: 'sound' })
    expect(await verifyAll(store, { tenant: 'sound' })).toMatchObject({ ok: true, turns: 1, events: 7, unjudged: 0, findings: [] })
    expect(await verifyExport(exportLines(store, { turnId }))).toMatchObject({ ok: true, events: 7, findings: [] })
    expect(replay(await store.read(turnId))).toMatchObject({ state: 'completed', same: true })
  })

  test('that were erased in part still verify', async () => {
    const { turnId } = await keep(store, RUN, { tenant: 'erased' })
    await store.erase(turnId, [5])
    expect(await verifyAll(store, { tenant: 'erased' })).toMatchObject({ ok: true, erased: 1, unjudged: 3, findings: [] })
    expect(await verifyExport(exportLines(store, { turnId }))).toMatchObject({ ok: true, erased: 1 })
    expect(replay(await store.read(turnId))).toMatchObject({ code: 'replay_source_missing', missing: { version: 5, ordinal: 1 } })
  })

  test('that lost an event are found: by stream, feed, export and replay', async () => {
    const { turnId } = await keep(store, RUN, { tenant: 'holed' })
    await store.damage(turnId, 4)
    expect((await verifyAll(store, { tenant: 'holed' })).findings).toEqual([
      { turnId, version: 5, problem: 'version 4 is missing' },
      { turnId, version: 5, problem: 'the feed gives it right behind version 3' },
    ])
    expect(await verifyExport(exportLines(store, { turnId }))).toMatchObject({ ok: false, findings: [{ version: 5, line: 6 }] })
    expect(replay(await store.read(turnId))).toMatchObject({ code: 'replay_source_missing', missing: { version: 4, ordinal: 1 } })
  })

  test('open with a whole prefix as a fork', async () => {
    const { events } = await keep(store, [...RUN.slice(0, 4), say.calls('pay'), say.held(2)], { tenant: 'forked' })
    const fork = await forkOf(events, 7, portsOver(store))
    await store.enlist('w-9', 60_000)
    expect(await store.open(fork.turn)).toEqual({ answer: 'opened' })
    expect(await store.read(fork.turn.turnId)).toEqual(fork.turn.events)
    const row = await store.turn(fork.turn.turnId)
    expect(row).toMatchObject({ version: 7, head: fork.state.head, state: 'working', key: null, owner: 'w-9' })
    expect(await verifyAll(store, { tenant: 'forked' })).toMatchObject({ ok: true, turns: 2, events: 14 })
  })
})
