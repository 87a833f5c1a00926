// Which parts of the law are walked. Each is small enough to be walked whole; together they take every step that there is.

import { callStateName, isMiss, stateName, type CallState, type TurnState } from '../../machines/state.ts'
import type { Scope } from './composed-cases.ts'
import { walk, type Reached } from './composed.ts'

export type Walk = { readonly name: string; readonly reached: readonly Reached[] }

const clean = (...tools: readonly string[]) => ({ completion: 'clean', tools }) as const

const CUT_OFF = { completion: 'truncated', tools: ['pay'] } as const
const REFUSED = { completion: 'refused', tools: ['pay'] } as const

const ALONE: Scope = {
  start: [],
  shapes: [clean('look'), clean('pay'), clean('ask_user'), CUT_OFF, REFUSED],
  rounds: 2,
  calls: 1,
  dispatches: 2,
  misses: true,
}

const TOGETHER: Scope = {
  start: [],
  shapes: [clean('look', 'look'), clean('look', 'pay'), clean('pay', 'ask_user'), { completion: 'refused', tools: ['pay', 'look'] }],
  rounds: 1,
  calls: 2,
  dispatches: 2,
  misses: false,
}

/** The walk that the others start from. */
export const ALONE_WALK: Walk = { name: 'one call to a round', reached: walk(ALONE) }

export const WALKS: readonly Walk[] = [
  ALONE_WALK,
  { name: 'two calls to a round', reached: walk(TOGETHER) },
  {
    name: 'a second attempt behind a call',
    reached: behind(state => state.attempt === 2 && state.nextOrdinal === 2, { ...ALONE, rounds: 1 }),
  },
  {
    name: 'a second round behind a record that is a miss',
    reached: behind(state => stateName(state) === 'thinking' && has(state, 'look', isMiss), {
      shapes: [clean('look'), clean('pay')],
      rounds: 2,
      calls: 2,
      dispatches: 2,
      misses: false,
    }),
  },
  {
    name: 'a second round behind a call that may not be repeated',
    reached: behind(state => stateName(state) === 'thinking' && has(state, 'pay', isDone), {
      shapes: [clean('pay'), clean('pay', 'pay')],
      rounds: 2,
      calls: 3,
      dispatches: 1,
      misses: false,
    }),
  },
]

/** A walk that begins where the first one came to. */
function behind(wanted: (state: TurnState) => boolean, scope: Omit<Scope, 'start'>): readonly Reached[] {
  const found = ALONE_WALK.reached.find(({ state }) => wanted(state))
  if (found === undefined) throw new Error('the walk came to no such state')
  return walk({ ...scope, start: found.history.slice(1) })
}

function isDone(call: CallState): boolean {
  return callStateName(call) === 'executed' && !isMiss(call)
}

function has(state: TurnState, tool: string, wanted: (call: CallState) => boolean): boolean {
  return [...state.calls.values()].some(call => call.item.name === tool && wanted(call))
}
