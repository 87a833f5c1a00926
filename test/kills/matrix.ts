// What is right when a worker dies at each place, for a tool of each kind: the table that the suites hold the runtime to.

import { KINDS, TOOL_OF, type Kind } from './cast.ts'
import { callOnce, type Plan } from './generations.ts'
import type { Place } from './stops.ts'

/** What must have come of a turn. */
export type Came = {
  readonly state: 'completed' | 'failed'
  readonly code: string | null
  /** Requests that the model was sent. */
  readonly asks: number
  /** Intents on the record. */
  readonly dispatches: number
  /** Dispatches whose tool began to run, in order. */
  readonly runs: readonly number[]
  /** Dispatches that did something to the world. */
  readonly deeds: readonly number[]
}

export type Row = Plan & { readonly kind: Kind; readonly says: string; readonly came: Came; readonly parked: boolean }

/** The turn completed: this ran, that is what was done. */
function done(runs: readonly number[], given: Partial<Came> = {}): Came {
  const dispatches = Math.max(1, ...runs)
  return { state: 'completed', code: null, asks: 2, dispatches, runs, deeds: runs.slice(0, 1), ...given }
}

/** Nobody can say what became of it. */
function inDoubt(runs: readonly number[], given: Partial<Came> = {}): Came {
  return { state: 'failed', code: 'tool_outcome_unknown', asks: 1, dispatches: 1, runs, deeds: [], ...given }
}

type Cell = readonly [kind: Kind, came: Came]

/** Kinds that come to the same. */
const each = (kinds: readonly Kind[], came: Came): readonly Cell[] => kinds.map(kind => [kind, came])
const RERUN: readonly Kind[] = ['read-only', 'idempotent']
const FENCED: Kind = 'at-most-once with a fence'
const ONCE: Kind = 'at-most-once'

type Chapter = { readonly when: string; readonly stops: readonly Place[]; readonly asks?: true; readonly cells: readonly Cell[] }

const ONE_KILL: readonly Chapter[] = [
  { when: 'before the round is recorded', stops: ['before round.recorded'], cells: each(KINDS, done([1], { asks: 3 })) },
  {
    when: 'with the round recorded',
    stops: ['after round.recorded'],
    // The intent of a tool that may run again is in the same append.
    cells: [...each(RERUN, done([2])), ...each([ONCE, FENCED], done([1]))],
  },
  {
    when: 'with the intent recorded',
    stops: ['after call.dispatched'],
    cells: [...each([...RERUN, FENCED], done([2])), [ONCE, inDoubt([])]],
  },
  {
    when: 'in the tool, before its effect',
    stops: ['begun'],
    cells: [...each([...RERUN, FENCED], done([1, 2], { deeds: [2] })), [ONCE, inDoubt([1])]],
  },
  {
    when: 'in the tool, after its effect',
    stops: ['done'],
    cells: [...each(RERUN, done([1, 2])), [ONCE, inDoubt([1], { deeds: [1] })], [FENCED, done([1])]],
  },
  {
    when: 'with the effect done and its record not sent',
    stops: ['before call.recorded'],
    cells: [...each(RERUN, done([1, 2])), [ONCE, inDoubt([1], { deeds: [1] })], [FENCED, done([1])]],
  },
  { when: 'with the result recorded', stops: ['after call.recorded'], cells: each(KINDS, done([1])) },
  { when: 'between approval and dispatch', stops: ['before call.dispatched'], asks: true, cells: each(KINDS, done([1])) },
]

const TWO_KILLS: readonly Chapter[] = [
  { when: 'in recovery, before the second intent', stops: ['done', 'before call.dispatched'], cells: each(RERUN, done([1, 2])) },
  { when: 'in recovery, with the second intent recorded', stops: ['done', 'after call.dispatched'], cells: each(RERUN, done([1, 3])) },
  { when: 'in recovery, in the second run', stops: ['begun', 'done'], cells: each(RERUN, done([1, 2, 3], { deeds: [2] })) },
  { when: 'in recovery, before its second record', stops: ['done', 'before call.recorded'], cells: each(RERUN, done([1, 2, 3])) },
  { when: 'in recovery, before it failed', stops: ['done', 'before turn.failed'], cells: [[ONCE, inDoubt([1], { deeds: [1] })]] },
  { when: 'in recovery, with the failure recorded', stops: ['begun', 'after turn.failed'], cells: [[ONCE, inDoubt([1])]] },
  { when: 'in recovery, behind the fence', stops: ['begun', 'fenced'], cells: [[FENCED, done([1, 2], { deeds: [2] })]] },
  { when: 'in recovery, before the doubt is settled', stops: ['done', 'before call.settled'], cells: [[FENCED, done([1])]] },
  { when: 'in recovery, with the doubt settled', stops: ['begun', 'after call.settled'], cells: [[FENCED, done([1, 2], { deeds: [2] })]] },
]

const MANY_KILLS: readonly Chapter[] = [
  {
    when: 'in recovery five times, each time elsewhere',
    stops: [
      'after call.dispatched',
      'before call.dispatched',
      'after call.dispatched',
      'done',
      'before call.recorded',
      'after call.recorded',
    ],
    cells: each(RERUN, done([3, 4, 5])),
  },
  {
    when: 'in recovery five times, each time elsewhere',
    stops: ['begun', 'fenced', 'before call.settled', 'after call.settled', 'done', 'after call.settled'],
    cells: [[FENCED, done([1, 2], { deeds: [2] })]],
  },
  {
    when: 'in recovery again and again without an append, until it is parked',
    stops: ['done', ...Array<Place>(5).fill('before call.dispatched')],
    cells: [['idempotent', done([1, 2])]],
  },
  {
    when: 'in its run as often as the limit allows',
    stops: Array<Place>(5).fill('done'),
    cells: each(RERUN, inDoubt([1, 2, 3, 4, 5], { dispatches: 5, deeds: [1] })),
  },
]

/** Every place and every kind; reads do nothing to the world. */
export const ROWS: readonly Row[] = [...ONE_KILL, ...TWO_KILLS, ...MANY_KILLS].flatMap(({ when, stops, asks = false, cells }) =>
  cells.map(([kind, came]) => ({
    name: `${kind}, killed ${when}`,
    kind,
    says: came.code ?? came.state,
    parked: when.endsWith('parked'),
    script: callOnce(TOOL_OF[kind], asks ? { asks } : {}),
    stops,
    came: kind === 'read-only' ? { ...came, deeds: [] } : came,
  })),
)
