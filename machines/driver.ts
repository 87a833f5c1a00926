// Who drives a turn, as its log says it; and what went with a driver that is gone: the results that it did not record whole (D9).
// A turn that came to rest was let go of in order, so whoever goes on then takes nothing over from the dead.

import type { Event } from './events.ts'
import { UNOWNED_TYPES } from './ports/store.ts'
import { callStateName, hasEnded, isMiss, stateName, type CallState, type TurnState } from './state.ts'

/** The state before an event, with what is lost where the event is of another driver than those before it. */
export function takeOver(state: TurnState, { type, actor }: Event): TurnState {
  if (actor.kind !== 'worker' && UNOWNED_TYPES.includes(type)) return state
  if (state.driver === actor.id) return state
  return { ...state, driver: actor.id, calls: state.driver === null ? state.calls : withLost(state.calls) }
}

function withLost(calls: TurnState['calls']): TurnState['calls'] {
  if (![...calls.values()].some(isMiss)) return calls
  return new Map([...calls].map(([ordinal, call]) => [ordinal, isMiss(call) ? { ...call, lost: true } : call]))
}

/** Nobody drives a turn that rests or has ended. */
export function driverAfter(state: TurnState): string | null {
  const name = stateName(state)
  return name === 'holding' || name === 'asking' || hasEnded(state) ? null : state.driver
}

/**
 * Calls whose record is none to a worker that begins to drive: only a short form, and its driver is gone, or it was copied from
 * another turn (D9, D13).
 *
 * @param epoch of the worker; 1 is the first to drive the turn
 */
export function lostTo(worker: string, epoch: number, state: TurnState): readonly CallState[] {
  const copied = state.opened.fork !== null && epoch === 1
  const takesOver = copied || (state.driver !== null && state.driver !== worker)
  const records = [...state.calls.values()].filter(call => callStateName(call) === 'executed' && isMiss(call))
  return records.filter(call => call.lost || takesOver)
}
