// What is shown of a turn: its state, its calls and their verdicts, its usage, and the messages that its model was sent.

import { ToolturnError } from './errors.ts'
import type { Usage } from './events/round.ts'
import type { Json } from './json.ts'
import type { CallView, TurnResult } from './runtime/api.ts'
import { callStateName, outcomeOf, stateName, type CallState, type TurnState } from './state.ts'
import { transcript } from './transcript.ts'

/** What came of a turn, or what it waits for: of the current attempt. */
export function viewOf(state: TurnState): TurnResult {
  return {
    turnId: state.turnId,
    state: stateName(state),
    code: state.end?.code ?? null,
    limit: state.end?.limit ?? null,
    output: state.end?.output ?? null,
    calls: [...state.calls.values()].map(callView),
    usage: usageOf(state),
    attempt: state.attempt,
    version: state.version,
  }
}

function callView(call: CallState): CallView {
  const name = callStateName(call)
  return {
    ordinal: call.ordinal,
    round: call.round,
    tool: call.item.name,
    providerId: call.item.providerId,
    state: name,
    outcome: outcomeOf(call),
    // A hold is always the question of one gate; a stop names its own.
    gate: name === 'held' ? 'authorization' : (call.stop?.gate ?? null),
    reason: call.stop?.reason ?? null,
    approvalId: call.hold?.approvalId ?? null,
    dispatches: call.chart.context.dispatch,
  }
}

/** Tokens of the attempt, over all its rounds, truncated ones too. What a provider did not say counts as 0. */
function usageOf(state: TurnState): Required<Usage> {
  const sum = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  for (const { usage } of state.rounds) {
    sum.inputTokens += usage?.inputTokens ?? 0
    sum.outputTokens += usage?.outputTokens ?? 0
    sum.cachedTokens += usage?.cachedTokens ?? 0
  }
  return sum
}

/**
 * The messages of the attempt in their neutral form: those that were sent for a round, or those that would be sent now.
 *
 * @param round position in the attempt, from 1; one above the last recorded round is the one that is due
 * @throws ToolturnError `option_invalid` for a round that was neither recorded nor is due
 */
export function messagesOf(state: TurnState, round?: number): Json {
  const due = state.rounds.length + 1
  if (round === undefined) return transcript(state)
  if (!Number.isInteger(round) || round < 1 || round > due) {
    const problem = `There is no round ${round} in this attempt: it has the rounds 1 to ${due}, the last one due.`
    throw new ToolturnError('option_invalid', problem, { turnId: state.turnId, option: 'round', expected: `1 to ${due}` })
  }
  return transcript({ ...state, rounds: state.rounds.slice(0, round - 1) })
}
