// What a state asks of the world: the one table that live running and recovery share.

import { callStateName, callsOfRound, nextCall, openCalls, stateName, type CallState, type TurnState } from './state.ts'

/** The one thing to be seen to next. Its state must be committed before it is performed. */
export type Effect =
  /** Ask the model for a round. */
  | { readonly kind: 'ask-model'; readonly round: number }
  /** A round that was itself an effect was asked for and is not recorded (F5): only a start finds it so. */
  | { readonly kind: 'round-in-doubt'; readonly round: number }
  /** A round is recorded and concludes the turn. */
  | { readonly kind: 'conclude' }
  /** A granted call is judged again, from authorization on; one whose tool wants to know something is held. */
  | { readonly kind: 'judge'; readonly call: CallState }
  /** These calls may start: one, or neighbouring reads together (D5). Each needs its intent committed first. */
  | { readonly kind: 'dispatch'; readonly calls: readonly CallState[] }
  /** The intents of these calls are committed and their results are not: running here, or in doubt. */
  | { readonly kind: 'settle'; readonly calls: readonly CallState[] }
  /** The acting person is asked. */
  | { readonly kind: 'ask-person'; readonly call: CallState }
  /** A person decides; nothing is held in memory meanwhile. */
  | { readonly kind: 'await-approval'; readonly call: CallState; readonly deadline: number }
  | { readonly kind: 'await-answer'; readonly ordinal: number; readonly deadline: number }
  /** The ask was not answered in time. */
  | { readonly kind: 'ask-expired' }
  /** Nothing is in flight any more: the open calls end and so does the turn. */
  | { readonly kind: 'cancel' }
  /** The turn has ended. */
  | { readonly kind: 'none' }

/** What a state asks for. Pure: the same for a live actor and for one that just found the turn. */
export function pending(state: TurnState): Effect {
  const name = stateName(state)
  switch (name) {
    case 'thinking': {
      const round = state.rounds.length + 1
      return { kind: state.chart.context.requested ? 'round-in-doubt' : 'ask-model', round }
    }
    case 'admitting':
      return { kind: 'conclude' }
    case 'working':
      return ofNextCall(state)
    case 'holding':
      return awaitApproval(nextCall(state))
    case 'asking':
      if (state.chart.context.askExpired || state.ask === null) return { kind: 'ask-expired' }
      return { kind: 'await-answer', ordinal: state.ask.ordinal, deadline: state.ask.expiresAt }
    case 'cancelling': {
      const calls = started(state)
      return calls.length > 0 ? { kind: 'settle', calls } : { kind: 'cancel' }
    }
    case 'completed':
    case 'refused':
    case 'exhausted':
    case 'cancelled':
    case 'failed':
      return { kind: 'none' }
  }
}

function ofNextCall(state: TurnState): Effect {
  const call = nextCall(state)
  if (call === null) return { kind: 'none' }
  switch (callStateName(call)) {
    case 'granted':
      return { kind: 'judge', call }
    case 'inquiring':
      return started(state).length > 0 ? { kind: 'settle', calls: started(state) } : { kind: 'judge', call }
    case 'dispatched':
      return { kind: 'settle', calls: started(state) }
    case 'held':
      return awaitApproval(call)
    default:
      if (call.item.name === state.opened.ask) return { kind: 'ask-person', call }
      return { kind: 'dispatch', calls: readsTogether(state, call) }
  }
}

function started(state: TurnState): readonly CallState[] {
  return openCalls(state).filter(call => callStateName(call) === 'dispatched')
}

function awaitApproval(call: CallState | null): Effect {
  if (call === null || call.hold === null) return { kind: 'none' }
  return { kind: 'await-approval', call, deadline: call.hold.expiresAt }
}

/** The call, and the reads right behind it in its round that may run beside it (D5). */
function readsTogether(state: TurnState, first: CallState): readonly CallState[] {
  if (!runsTogether(state, first)) return [first]
  const group: CallState[] = []
  for (const call of callsOfRound(state, first.round)) {
    if (call.ordinal < first.ordinal) continue
    if (call.ordinal > first.ordinal && !runsTogether(state, call)) break
    group.push(call)
    if (group.length >= state.opened.limits.concurrentReads) break
  }
  return group
}

function runsTogether(state: TurnState, call: CallState): boolean {
  const tool = state.catalog.get(call.item.name)
  return (
    callStateName(call) === 'admitted' &&
    call.grant === null &&
    tool?.replayPolicy === 'read-only' &&
    tool.approval === 'never' &&
    tool.name !== state.opened.ask
  )
}
