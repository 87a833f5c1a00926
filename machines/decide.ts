// Decisions: which events follow from where a turn stands. Pure; made again whenever the stream has moved.

import type { ErrorCode } from './errors.ts'
import type { Fact, FactOf } from './events.ts'
import { EXHAUSTS } from './gates/gate.ts'
import { invocationId } from './ids.ts'
import type { LimitName } from './limits.ts'
import type { Model } from './ports/model.ts'
import { endedText } from './repair.ts'
import { textOf } from './round-text.ts'
import { callsOfRound, lastRound, openCalls, outcomeOf, type CallState, type TurnState } from './state.ts'
import { truncationsInARow } from './transcript.ts'

/** The intent to start a call (D2). */
export function dispatchFact(state: TurnState, call: CallState): FactOf<'call.dispatched'> {
  const { ordinal, item } = call
  const { tenant, turnId } = state
  return {
    type: 'call.dispatched',
    data: {
      ordinal,
      tool: item.name,
      dispatch: call.chart.context.dispatch + 1,
      invocationId: invocationId({ tenant, turnId, ordinal, tool: item.name }),
    },
  }
}

/**
 * What stops a turn before its next round is asked for; null when the model is to be asked.
 *
 * @param worked working milliseconds of the attempt, up to now
 */
export function beforeRound(state: TurnState, capabilities: Model['capabilities'], worked: number): readonly Fact[] | null {
  const { limits, catalog } = state.opened
  // E4: a typed failure before anything is sent, and not a guess.
  if (catalog.length > 0 && capabilities.toolCalls === 'none') {
    return fail(state, 'model_tools_unsupported', 'The turn offers tools and the model cannot call any; nothing was sent.')
  }
  if (worked >= limits.turnTimeoutMs) return exhaust(state, 'turnTimeoutMs')
  const cap = capOfLastRound(state)
  if (cap !== null) return exhaust(state, cap)
  if (truncationsInARow(state) > limits.truncationRetries) {
    return fail(state, 'model_output_truncated', 'The output limit cut the model off again; nothing of a truncated round ran.')
  }
  if (invalidOutputs(state) > limits.schemaRepairs) {
    return fail(state, 'output_invalid', 'The output did not fit the requested schema within its repairs.')
  }
  if (repairedRounds(state) > limits.repairs) return exhaust(state, 'repairs')
  if (state.rounds.length >= limits.rounds) return exhaust(state, 'rounds')
  if (state.failedTries >= limits.modelTries) return fail(state, 'model_unavailable', 'The model did not answer within its tries.')
  return null
}

/** A cap that ended calls of the last round and with them the turn, once the calls within it are done. */
function capOfLastRound(state: TurnState): LimitName | null {
  for (const call of callsOfRound(state, state.rounds.length)) {
    const limit = outcomeOf(call) === 'ended-turn' && call.stop !== null ? EXHAUSTS[call.stop.reason] : undefined
    if (limit !== undefined) return limit
  }
  return null
}

function invalidOutputs(state: TurnState): number {
  return state.rounds.filter(round => round.output !== null && !round.output.valid).length
}

/** Rounds of the transcript that held an invalid call (B7). A truncated round has a bound of its own. */
function repairedRounds(state: TurnState): number {
  const rounds = new Set<number>()
  for (const call of state.calls.values()) {
    if (outcomeOf(call) === 'invalid' && call.stop?.gate !== 'completion') rounds.add(call.round)
  }
  return rounds.size
}

/** How a turn whose last round holds no call comes to its end. */
export function conclude(state: TurnState): readonly Fact[] {
  const round = lastRound(state)
  if (round === null || round.completion === 'refused') return [{ type: 'turn.refused', data: {} }]
  const channel = round.channel === 'structured' || round.channel === 'prompted' ? round.channel : null
  const value = round.output !== null && round.output.valid ? { value: round.output.value } : {}
  return [{ type: 'turn.completed', data: { output: { channel, text: finalText(state), ...value } } }]
}

/** The text of the last round, with that of the paused rounds it went on from. */
function finalText(state: TurnState): string {
  const first = state.rounds.findLastIndex((round, index) => index < state.rounds.length - 1 && round.completion !== 'paused') + 1
  return textOf(state.rounds.slice(first).flatMap(round => round.items))
}

/** The turn meets a bound: its open calls end, and it does. */
export function exhaust(state: TurnState, limit: LimitName): readonly Fact[] {
  return [...endOpenCalls(state, 'turn-ended'), { type: 'turn.exhausted', data: { limit } }]
}

/** The turn fails, and its open calls end with it. */
export function fail(state: TurnState, code: ErrorCode, message: string, status?: number): readonly Fact[] {
  return [
    ...endOpenCalls(state, 'turn-ended'),
    { type: 'turn.failed', data: { code, message, ...(status === undefined ? {} : { status }) } },
  ]
}

/** The turn fails with a call in doubt; its open calls stay as they are until the doubt is settled. */
export function failInDoubt(call: CallState, code: 'tool_outcome_unknown' | 'tool_record_failed', message: string): readonly Fact[] {
  return [{ type: 'turn.failed', data: { code, message, ordinal: call.ordinal } }]
}

/** Nothing is in flight: a turn that is being cancelled ends. */
export function cancelled(state: TurnState): readonly Fact[] {
  return [...endOpenCalls(state, 'turn-ended'), { type: 'turn.cancelled', data: {} }]
}

/** `call.ended` for every open call, so that each has its one outcome (G4). */
export function endOpenCalls(state: TurnState, reason: 'turn-ended' | 'retried'): readonly FactOf<'call.ended'>[] {
  return openCalls(state).map(call => ({
    type: 'call.ended',
    data: { ordinal: call.ordinal, tool: call.item.name, gate: null, trail: [], reason, text: endedText(reason) },
  }))
}
