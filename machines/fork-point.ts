// Where a turn may be forked: between groups of events, while it runs or waits, with nothing in doubt that may not run again (D13).

import { callStateName, isMiss, openCalls, stateName, type CallState, type TurnState } from './state.ts'

/** Why a turn cannot be forked where it stands; null when it can. */
export function forkRefusal(state: TurnState): string | null {
  const name = stateName(state)
  switch (name) {
    case 'thinking':
    case 'working':
    case 'holding':
    case 'asking':
      if (state.chart.context.requested) return 'a round with provider-executed effects is in doubt there'
      return first(state, call => doubt(state, call)) ?? first(state, call => unserved(state, call))
    case 'admitting':
      return 'it stands inside a group of events that were written together'
    case 'cancelling':
      return 'the turn is being cancelled there'
    case 'completed':
    case 'refused':
    case 'exhausted':
    case 'cancelled':
    case 'failed':
      return `the turn has ended there (${name})`
  }
}

function first(state: TurnState, refuses: (call: CallState) => string | null): string | null {
  for (const call of state.calls.values()) {
    const why = refuses(call)
    if (why !== null) return why
  }
  return null
}

function doubt(state: TurnState, call: CallState): string | null {
  const inDoubt = callStateName(call) === 'dispatched' && !mayRunAgain(state, call)
  return inDoubt ? `call ${call.ordinal} is in doubt there and its tool may not run again` : null
}

/** A short form cannot be served, so its call would run again: not where it may not, and not by the consent that the source was given. */
function unserved(state: TurnState, call: CallState): string | null {
  const refuses = isMiss(call) && (!mayRunAgain(state, call) || call.grant !== null)
  return refuses ? `the result of call ${call.ordinal} is not recorded whole and its tool may not simply run again` : null
}

function mayRunAgain(state: TurnState, call: CallState): boolean {
  const policy = state.catalog.get(call.item.name)?.replayPolicy
  return policy === 'read-only' || policy === 'idempotent'
}

/**
 * The calls that a fork starts anew: those that were on their way, and an ask that nobody answered.
 *
 * Whatever a person granted to one of them was granted to the source turn, once (C5), and is not copied.
 */
export function startedAnew(state: TurnState): readonly CallState[] {
  const asked = stateName(state) === 'asking' && state.ask !== null ? state.calls.get(state.ask.ordinal) : undefined
  return asked === undefined ? openCalls(state) : [...openCalls(state), asked]
}
