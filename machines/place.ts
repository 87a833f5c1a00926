// What an event says of its place: the version, attempt, round, ordinal and hold that are due. The charts know no numbers.

import type { Event, EventOf } from './events.ts'
import { callsOfRound, callStateName, lastRound, openCalls, openInquiry, stateName, type CallState, type TurnState } from './state.ts'

/** Why an event does not stand where it says it stands; null when it does. */
export function misplacement(state: TurnState, event: Event): string | null {
  if (event.version !== state.version + 1) return `version ${state.version + 1} was due`
  switch (event.type) {
    case 'attempt.started':
      return event.data.attempt === state.attempt + 1 ? null : `attempt ${state.attempt + 1} was due`
    case 'round.requested':
    case 'round.failed':
      return misplacedRound(state, event.data.round)
    case 'round.recorded':
      return misplacedRound(state, event.data.round) ?? misplacedOrdinals(state, event)
    case 'call.held':
      return misplacedForms(state, event) ?? misplacedVerdict(state, event.data.ordinal)
    case 'call.admitted':
    case 'call.invalid':
    case 'call.refused':
    case 'call.suppressed':
    case 'call.ended':
      return misplacedVerdict(state, event.data.ordinal)
    case 'call.dispatched':
      return misplacedDispatch(state, event.data.ordinal)
    case 'approval.granted':
      return misplacedDecision(state, event.data) ?? misplacedAnswers(state, event)
    case 'approval.denied':
    case 'approval.expired':
    case 'approval.turned-away':
      return misplacedDecision(state, event.data)
    case 'clarification.answered':
    case 'clarification.expired':
    case 'clarification.turned-away':
      return state.ask?.ordinal === event.data.ordinal ? null : `call ${event.data.ordinal} is not the ask`
    default:
      return null
  }
}

function misplacedRound(state: TurnState, round: number): string | null {
  const due = state.rounds.length + 1
  return round === due ? null : `round ${due} was due`
}

/** One counter per turn, without gaps, rising over all attempts (D1). */
function misplacedOrdinals(state: TurnState, event: EventOf<'round.recorded'>): string | null {
  const ordinals = event.data.items.flatMap(item => (item.kind === 'call' ? [item.ordinal] : []))
  return ordinals.every((ordinal, index) => ordinal === state.nextOrdinal + index) ? null : `ordinal ${state.nextOrdinal} was due first`
}

/** The calls of a round are judged in the model's order, each once, before anything else happens to one of them (B2). */
function misplacedVerdict(state: TurnState, ordinal: number): string | null {
  if (stateName(state) !== 'admitting') return null
  const due = callsOfRound(state, lastRound(state)?.round ?? 0).find(call => callStateName(call) === 'proposed')
  return due?.ordinal === ordinal ? null : `call ${due?.ordinal ?? 'none'} was to be judged first`
}

/** The hold of an inquiry has its forms, and no other one has any. It waits until nothing runs beside its call. */
function misplacedForms(state: TurnState, { data }: EventOf<'call.held'>): string | null {
  const call = state.calls.get(data.ordinal)
  const inquires = call !== undefined && callStateName(call) === 'inquiring'
  if (inquires !== (data.forms !== undefined)) return inquires ? 'forms were due' : 'no forms are due'
  return inquires && openCalls(state).some(open => callStateName(open) === 'dispatched') ? 'a call still runs' : null
}

function misplacedDecision(state: TurnState, { ordinal, approvalId }: { readonly ordinal: number; readonly approvalId: string }) {
  const due = state.calls.get(ordinal)?.hold?.approvalId
  return due === approvalId ? null : `it is not about the hold of call ${ordinal}`
}

function misplacedAnswers(state: TurnState, { data }: EventOf<'approval.granted'>): string | null {
  const call = state.calls.get(data.ordinal)
  const asked = call !== undefined && openInquiry(call) !== null
  return asked === (data.answers !== undefined) ? null : asked ? 'answers were due' : 'no answers are due'
}

/** Calls start one after another; a read may start beside reads that were started before it (D5). A re-run has its place already. */
function misplacedDispatch(state: TurnState, ordinal: number): string | null {
  const call = state.calls.get(ordinal)
  if (call === undefined || callStateName(call) !== 'admitted') return null
  const before = openCalls(state).filter(open => open.ordinal < ordinal)
  const beside = isRead(state, call) && before.every(open => callStateName(open) === 'dispatched' && isRead(state, open))
  return before.length === 0 || beside ? null : `call ${before[0]?.ordinal} was to be seen to first`
}

function isRead(state: TurnState, call: CallState): boolean {
  return state.catalog.get(call.item.name)?.replayPolicy === 'read-only'
}
