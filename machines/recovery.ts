// The recovery table: what becomes of a call whose intent is committed and whose result is not (D4, D6).

import { dispatchFact, fail, failInDoubt } from './decide.ts'
import type { Fact } from './events.ts'
import type { RecordedResult } from './events/shapes.ts'
import { isMiss, type CallState, type TurnState } from './state.ts'
import type { ReplayPolicy, ToolDescriptor } from './tool.ts'

/** What the tool's `reconcile` said of the dispatch in doubt; `unknown` where it has none. */
export type ReconcileAnswer =
  | { readonly kind: 'happened'; readonly recorded: RecordedResult }
  | { readonly kind: 'did-not-happen' }
  | { readonly kind: 'unknown' }

/**
 * Settles a call in doubt.
 *
 * | reconcile says | read-only | idempotent | at-most-once |
 * | happened | settled | settled | settled |
 * | did-not-happen | settled: admitted again | settled: admitted again | settled: admitted again |
 * | unknown | runs again | runs again under the same key | the turn fails |
 *
 * A re-run is a further dispatch, on the record before it starts; over `limits.dispatches` the turn fails.
 *
 * @param canRun false when the call's real arguments are gone: it is never run with the mask (D11)
 */
export function settleDoubt(state: TurnState, call: CallState, answer: ReconcileAnswer, canRun: boolean): readonly Fact[] {
  if (answer.kind !== 'unknown') return [settledFact(state, call, answer)]
  const policy = policyOf(state, call)
  if (policy === 'at-most-once') {
    return failInDoubt(
      call,
      'tool_outcome_unknown',
      `Call ${call.ordinal} was started and its result was not recorded; the tool may not run again.`,
    )
  }
  if (!canRun) {
    return failInDoubt(
      call,
      'tool_outcome_unknown',
      `Call ${call.ordinal} may run again, but its real arguments are gone or its tool has changed.`,
    )
  }
  if (call.chart.context.dispatch >= state.opened.limits.dispatches) {
    return failInDoubt(call, 'tool_outcome_unknown', `Call ${call.ordinal} was started as often as its limit allows and never recorded.`)
  }
  return [dispatchFact(state, call)]
}

function settledFact(state: TurnState, call: CallState, answer: Exclude<ReconcileAnswer, { kind: 'unknown' }>): Fact {
  return {
    type: 'call.settled',
    data: {
      ordinal: call.ordinal,
      tool: call.item.name,
      dispatch: call.chart.context.dispatch,
      settled: answer.kind,
      by: 'reconcile',
      contentTrust: state.catalog.get(call.item.name)?.contentTrust ?? 'untrusted',
      ...(answer.kind === 'happened' ? { recorded: answer.recorded } : {}),
    },
  }
}

/** A tool that the catalog does not know any more is treated as the least permissive. */
function policyOf(state: TurnState, call: CallState): ReplayPolicy {
  const descriptor: ToolDescriptor | undefined = state.catalog.get(call.item.name)
  return descriptor?.replayPolicy ?? 'at-most-once'
}

/** Calls whose record is only a short form: to be run again before the attempt goes on, or the end of it (D9). */
export function missesOf(state: TurnState): readonly CallState[] {
  return [...state.calls.values()].filter(isMiss)
}

/**
 * True where a call that ran again because its record was a miss gave something else than what the rounds after it were given (D9).
 *
 * @param call with the record that was a miss
 */
export function contradicts(state: TurnState, call: CallState, again: RecordedResult): boolean {
  return isMiss(call) && call.round < state.rounds.length && call.recorded?.digest !== again.digest
}

/** The turn ends rather than go on with another past than the one its model was shown. */
export function failContradicted(state: TurnState): readonly Fact[] {
  const message = 'A result that was too large to be recorded was fetched again, and is not the one that later rounds were given.'
  return fail(state, 'replay_source_missing', message)
}

/** What becomes of a record that is a miss, when a worker takes the turn over. */
export function recoverMiss(state: TurnState, call: CallState): 'run-again' | 'fail' {
  if (policyOf(state, call) === 'at-most-once') return 'fail'
  return call.chart.context.dispatch >= state.opened.limits.dispatches ? 'fail' : 'run-again'
}
