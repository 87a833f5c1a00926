// The suite of a worker that is stopped and wakes up when another one has its turns: it writes nothing, starts nothing, and what its
// tools still do changes nothing. A stopped process is no dead one, so nobody can be sure by looking.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../adapters/log.ts'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { Store } from '../../machines/ports/store.ts'
import { until } from '../bus/world.ts'
import { freshSchema } from '../servers.ts'
import { KINDS, TOOL_OF, type Kind } from './cast.ts'
import { openEffects, type Effects } from './effects.ts'
import { callOnce, orderAt, planOfRow, spawnOf, turnsOf, untilAllStand, type Plan } from './generations.ts'
import { makeRoom, storeAt } from './room.ts'
import { stopsOf, type Place } from './stops.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

/** What comes of a turn whose worker was stopped there, and who did what: `woken` the stopped one, `other` the one that took over. */
export type Stopped = {
  readonly where: string
  readonly stop: Place
  readonly kind: Kind
  /** Where the other one is held up until the stopped one is awake; absent: it has ended the turn by then. */
  readonly otherAt?: Place
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
  /** The turns as they were when the stopped one woke up. */
  readonly turns: ReadonlyMap<string, TurnRow>
}

/**
 * @param lease `ended`: somebody ended the lease of the stopped worker, who believes in it when it wakes up; `over`: it ran out
 */
export function describeStopped(name: string, postgres: string, lease: 'ended' | 'over', stopped: readonly Stopped[]): void {
  const rows = stopped.map((row): Row => {
    const { kind, where, stop } = row
    return { ...row, name: `${kind}, ${where}`, script: callOnce(TOOL_OF[kind]), stops: [stop] }
  })

  describe(name, () => {
    const leaving = new AsyncDisposableStack()
    let seen: Seen

    beforeAll(async () => {
      seen = await stopAndWake(postgres, lease, rows, leaving)
    }, 300_000)

    afterAll(() => leaving.disposeAsync())

    it.each(rows.map(row => [row.name, row] as const))('%s: writes nothing and starts nothing', async (_name, row) => {
      const { store, effects, woken, turns } = seen
      const { turnId, version } = turns.get(row.name) ?? expect.unreachable(row.name)
      const written = await store.read(turnId, version)
      expect(written.filter(event => event.actor.id === woken.enlisted()[0])).toEqual([])
      expect(await store.turn(turnId)).toMatchObject({ state: row.code === null ? 'completed' : 'failed', code: row.code })
      const ofPlan = ({ plan }: { readonly plan: string }) => plan === row.name
      const who = (pid: number) => (pid === woken.pid ? 'woken' : 'other')
      const runs = effects.runs().filter(ofPlan)
      const deeds = effects.deeds().filter(ofPlan)
      expect(runs.map(({ pid, dispatch }) => `${who(pid)} ${dispatch}`)).toEqual(row.runs)
      expect(deeds.map(({ dispatch }) => dispatch)).toEqual(row.deeds)
    })

    it('came back under a new id, and works', async () => {
      const { woken, other, store } = seen
      expect(new Set(woken.enlisted()).size).toBe(2)
      await other.close()
      const { id } = await woken.ask('spawn', spawnOf({ name: 'afterwards', script: callOnce('pay') }))
      await until('the end of its new turn', async () => (await store.turn(id))?.state === 'completed')
      const actors = (await store.read(id)).map(event => event.actor.id)
      expect(new Set(actors)).toEqual(new Set(woken.enlisted().slice(1)))
    })
  })
}

/** Stops a worker with a turn at each stop, lets another one take them over, and wakes the first one up. */
async function stopAndWake(postgres: string, lease: 'ended' | 'over', rows: readonly Row[], leaving: AsyncDisposableStack): Promise<Seen> {
  const room = await makeRoom({ url: postgres, schema: freshSchema() }, null, leaving)
  const store = leaving.adopt(await storeAt(room.address).open(silentLog), opened => opened.close())
  const effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
  const stops = stopsOf(new Map(rows.map(row => [row.name, row.stops])))
  const woken = await startWorker(orderAt(room), leaving, stops.at)
  await Promise.all(rows.map(row => woken.ask('spawn', spawnOf(row))))
  await untilAllStand(woken, stops)
  woken.stop()

  const otherStops = stopsOf(new Map(rows.flatMap(({ name, otherAt }) => (otherAt === undefined ? [] : [[name, [otherAt]] as const]))))
  const other = await startWorker({ ...orderAt(room), dead: lease === 'ended' ? woken.enlisted() : [] }, leaving, otherStops.at)
  await untilAllStand(other, otherStops)
  const turns = new Map((await turnsOf(other)).map(turn => [planOfRow(turn), turn]))

  stops.letGo()
  woken.goOn()
  await until('the stopped worker back', () => woken.enlisted().length === 2)
  otherStops.letGo()
  await untilAllStand(other, otherStops)
  return { woken, other, store, effects, turns }
}

const FENCE: Kind = 'at-most-once with a fence'

type Cell = Pick<Stopped, 'runs' | 'deeds' | 'otherAt'> & { readonly code?: string }

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

/** The other one has written nothing yet: by its version alone, the turn is still as the woken one believes it to be. */
export const WITH_THE_TURN_ONLY_CLAIMED: readonly Stopped[] = [
  ...rowsAt('stopped before the intent, the turn only claimed', 'before call.dispatched', {
    'read-only': { runs: ['other 1'], deeds: [], otherAt: 'before call.dispatched' },
    idempotent: { runs: ['other 1'], deeds: [1], otherAt: 'before call.dispatched' },
    'at-most-once': { runs: ['other 1'], deeds: [1], otherAt: 'before call.dispatched' },
    [FENCE]: { runs: ['other 1'], deeds: [1], otherAt: 'before call.dispatched' },
  }),
  ...rowsAt('stopped before the record, the turn only claimed', 'before call.recorded', {
    'read-only': { runs: ['woken 1', 'other 2'], deeds: [], otherAt: 'before call.dispatched' },
    idempotent: { runs: ['woken 1', 'other 2'], deeds: [1], otherAt: 'before call.dispatched' },
    'at-most-once': { runs: ['woken 1'], deeds: [1], code: IN_DOUBT, otherAt: 'before turn.failed' },
    [FENCE]: { runs: ['woken 1'], deeds: [1], otherAt: 'before call.settled' },
  }),
]
