// The suite of a worker that is stopped and wakes up when another one has its turns: it writes nothing, starts nothing, and what its
// tools still do changes nothing. A stopped process is no dead one, so nobody can be sure by looking.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../adapters/log.ts'
import { makePlace, storeAt } from '../../adapters/scenario/places.ts'
import type { Store, TurnRow } from '../../machines/ports/store.ts'
import { until } from '../bus/world.ts'
import { KINDS, TOOL_OF, type Kind } from './cast.ts'
import { openEffects, type Effects } from './effects.ts'
import { callOnce, effectsIn, hasEnded, orderAt, planOfRow, spawnOf, turnsOf, untilAllStand, type Plan } from './generations.ts'
import { stopsOf, type Place } from './stops.ts'
import { NOWHERE, startWorker, type WorkerProcess } from './worker-process.ts'

/** What comes of a turn whose worker was stopped there, and who did what: `woken` the stopped one, `other` the one that took over. */
export type Stopped = {
  readonly where: string
  readonly stop: Place
  readonly kind: Kind
  readonly code: string | null
  readonly runs: readonly `${'woken' | 'other'} ${number}`[]
  readonly deeds: readonly number[]
}

type Row = Stopped & Plan

type Seen = {
  readonly woken: WorkerProcess
  readonly other: WorkerProcess
  readonly store: Store
  readonly effects: Effects
  /** The turns when the other one had brought them to their ends. */
  readonly ended: readonly TurnRow[]
}

/**
 * @param retire true: somebody ended the lease of the stopped worker, who believes in it when he wakes; false: it ran out
 */
export function describeStopped(name: string, postgres: string, retire: boolean, stopped: readonly Stopped[]): void {
  const rows = stopped.map((row): Row => {
    const { kind, where, stop } = row
    return { ...row, name: `${kind}, ${where}`, script: callOnce(TOOL_OF[kind]), stops: [stop] }
  })

  describe(name, () => {
    const leaving = new AsyncDisposableStack()
    let seen: Seen

    beforeAll(async () => {
      const place = await makePlace({ store: postgres, bus: 'memory:', inProcess: false }, leaving)
      const store = leaving.adopt(await storeAt(place.address).open(silentLog), opened => opened.close())
      const effects = leaving.adopt(openEffects(effectsIn(place)), opened => opened.close())
      const stops = stopsOf(new Map(rows.map(row => [row.name, row.stops])))
      const woken = await startWorker(orderAt(place), leaving, stops.at)
      await Promise.all(rows.map(row => woken.ask('spawn', spawnOf(row))))
      await untilAllStand(woken, stops)
      woken.stop()
      const other = await startWorker({ ...orderAt(place), dead: retire ? woken.enlisted() : [] }, leaving, NOWHERE)
      await until('every turn ended by the other one', async () => (await turnsOf(other)).every(hasEnded), 60_000)
      seen = { woken, other, store, effects, ended: await turnsOf(other) }
      stops.letGo()
      woken.goOn()
    }, 120_000)

    afterAll(() => leaving.disposeAsync())

    it('comes back under a new id, and works', async () => {
      const { woken, other, store } = seen
      await until('a second id', () => woken.enlisted().length === 2)
      expect(new Set(woken.enlisted()).size).toBe(2)
      await other.close()
      const { id } = await woken.ask('spawn', spawnOf({ name: 'afterwards', script: callOnce('pay') }))
      await until('the end of its new turn', async () => (await store.turn(id))?.state === 'completed')
      const actors = (await store.read(id)).map(event => event.actor.id)
      expect(new Set(actors)).toEqual(new Set(woken.enlisted().slice(1)))
    })

    it.each(rows.map(row => [row.name, row] as const))('%s: writes nothing and starts nothing', async (_name, row) => {
      const { store, effects, woken, ended } = seen
      const before = ended.find(turn => planOfRow(turn) === row.name)
      const now = await store.turn(before?.turnId ?? '')
      expect(now).toMatchObject({ state: row.code === null ? 'completed' : 'failed', code: row.code })
      expect([now?.version, now?.head, now?.epoch]).toEqual([before?.version, before?.head, before?.epoch])
      const ofPlan = ({ plan }: { readonly plan: string }) => plan === row.name
      const who = (pid: number) => (pid === woken.pid ? 'woken' : 'other')
      expect(effects.runs().filter(ofPlan).map(({ pid, dispatch }) => `${who(pid)} ${dispatch}`)).toEqual(row.runs)
      expect(effects.deeds().filter(ofPlan).map(({ dispatch }) => dispatch)).toEqual(row.deeds)
    })
  })
}

const FENCE: Kind = 'at-most-once with a fence'

type Cell = Pick<Stopped, 'runs' | 'deeds'> & { readonly code?: string }

function rowsAt(where: string, stop: Place, cells: Readonly<Record<Kind, Cell>>): readonly Stopped[] {
  return KINDS.map(kind => ({ where, stop, kind, code: null, ...cells[kind] }))
}

const IN_DOUBT = 'tool_outcome_unknown'

export const BEFORE_THE_INTENT = rowsAt('stopped before the intent', 'before call.dispatched', {
  'read-only': { runs: ['other 1'], deeds: [] },
  idempotent: { runs: ['other 1'], deeds: [1] },
  'at-most-once': { runs: ['other 1'], deeds: [1] },
  [FENCE]: { runs: ['other 1'], deeds: [1] },
})

/** Only its own lease clock keeps the woken one from starting what it may start by the record. */
export const BEFORE_THE_START = rowsAt('stopped between intent and start', 'after call.dispatched', {
  'read-only': { runs: ['other 2'], deeds: [] },
  idempotent: { runs: ['other 2'], deeds: [2] },
  'at-most-once': { runs: [], deeds: [], code: IN_DOUBT },
  [FENCE]: { runs: ['other 2'], deeds: [2] },
})

/** A tool without a key or a fence still does it, once: nothing but the place itself could have kept it from that (D6). */
export const IN_THE_TOOL = rowsAt('stopped in the tool, before its effect', 'begun', {
  'read-only': { runs: ['woken 1', 'other 2'], deeds: [] },
  idempotent: { runs: ['woken 1', 'other 2'], deeds: [2] },
  'at-most-once': { runs: ['woken 1'], deeds: [1], code: IN_DOUBT },
  [FENCE]: { runs: ['woken 1', 'other 2'], deeds: [2] },
})

export const BEHIND_THE_EFFECT = rowsAt('stopped in the tool, after its effect', 'done', {
  'read-only': { runs: ['woken 1', 'other 2'], deeds: [] },
  idempotent: { runs: ['woken 1', 'other 2'], deeds: [1] },
  'at-most-once': { runs: ['woken 1'], deeds: [1], code: IN_DOUBT },
  [FENCE]: { runs: ['woken 1'], deeds: [1] },
})
