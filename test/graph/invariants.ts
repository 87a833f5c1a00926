// What holds in every state that a legal history leads to, and over every step of one. Each rule gives the sentence that it broke.

import type { Message } from '../../machines/ports/model.ts'
import {
  callsOfRound,
  callStateName,
  hasEnded,
  isOpen,
  openCalls,
  openInquiry,
  outcomeOf,
  stateName,
  type CallState,
  type TurnState,
} from '../../machines/state.ts'
import { transcript } from '../../machines/transcript.ts'

/** The invariants that a state breaks. */
export function brokenIn(state: TurnState): readonly string[] {
  return [...brokenByTurn(state), ...[...state.calls.values()].flatMap(call => brokenByCall(state, call)), ...unpaired(state)]
}

function brokenByTurn(state: TurnState): readonly string[] {
  const open = openCalls(state)
  const started = open.filter(call => callStateName(call) === 'dispatched')
  const effectful = started.filter(call => policy(state, call) !== 'read-only')
  const ordinals = [...state.calls.keys()]
  const doubt = hasEnded(state) && state.chart.context.inDoubt
  const givenUp = [...state.calls.values()].some(call => call.stop?.reason === 'retried')
  return [
    effectful.length > 1 && 'two calls with effects are in flight',
    stateName(state) === 'thinking' && open.length > 0 && 'a round is asked for while a call is open',
    stateName(state) === 'asking' && open.length > 0 && 'a person is asked while a call is open',
    hasEnded(state) && !doubt && open.length > 0 && 'the turn ended and a call is open',
    doubt && !givenUp && started.length === 0 && 'the turn failed in doubt and no call is started',
    hasEnded(state) !== (state.end !== null) && 'an end is remembered that is none, or not remembered',
    ordinals.some((ordinal, index) => ordinal <= (ordinals[index - 1] ?? 0)) && 'ordinals do not rise',
    ordinals.some(ordinal => ordinal >= state.nextOrdinal) && 'an ordinal is used that is yet to be given',
  ].filter(broken => broken !== false)
}

function brokenByCall(state: TurnState, call: CallState): readonly string[] {
  const name = callStateName(call)
  const ran = call.chart.context.dispatch > 0
  const completion = state.rounds[call.round - 1]?.completion
  return [
    name === 'executed' && (!ran || call.recorded === null) && 'a call is executed without a dispatch and a record',
    !isOpen(call) && name !== 'executed' && call.recorded !== null && 'a call that stopped has a record',
    ran && (completion === 'truncated' || completion === 'refused') && 'a call of a round that may not run was started',
    ran && call.prepared === null && 'a call was started without prepared arguments',
    name === 'held' && call.hold === null && 'a call is held without a hold',
    name === 'granted' && call.grant === null && call.inquiry?.answers == null && 'a call is granted without a grant or answers',
    name === 'inquiring' && openInquiry(call) === null && 'a tool inquires nothing, or was answered',
    name === 'dispatched' && openInquiry(call) !== null && 'a call runs whose tool waits for an answer',
    (outcomeOf(call) === null || outcomeOf(call) === 'held') !== isOpen(call) && 'a call is open with an outcome, or closed without',
  ]
    .filter(broken => broken !== false)
    .map(broken => `call ${call.ordinal}: ${broken}`)
}

/** Before a round is asked for, every call of the transcript has its one result, in order (B3). */
function unpaired(state: TurnState): readonly string[] {
  if (stateName(state) !== 'thinking') return []
  const messages = transcript(state)
  const written = messages.flatMap(callsWritten)
  const paired = messages.flatMap(each => (each.role === 'tool' ? each.results.map(result => result.id) : []))
  const served = state.rounds.filter(round => round.completion !== 'truncated').flatMap(round => callsOfRound(state, round.round))
  const right = JSON.stringify(written) === JSON.stringify(paired) && served.length === paired.length
  return right ? [] : ['a call of the transcript has not exactly one result']
}

function callsWritten(message: Message): readonly string[] {
  return message.role === 'assistant' ? message.content.flatMap(item => (item.kind === 'call' ? [item.id] : [])) : []
}

/** The invariants that a step breaks. */
export function brokenBy(before: TurnState, after: TurnState): readonly string[] {
  if (after.attempt !== before.attempt) {
    return after.nextOrdinal === before.nextOrdinal && after.calls.size === 0 ? [] : ['a new attempt serves old calls, or counts anew']
  }
  const closed = [...before.calls.values()].filter(call => !isOpen(call))
  const changed = closed.filter(call => callStateName(after.calls.get(call.ordinal) ?? call) !== callStateName(call))
  return [
    before.contentTrust === 'untrusted' && after.contentTrust === 'trusted' && 'trust rose within an attempt',
    changed.some(call => callStateName(call) !== 'executed') && 'an outcome that stays was changed',
    changed.some(call => policy(before, call) === 'at-most-once') && 'an at-most-once call was started again after its record',
    after.nextOrdinal < before.nextOrdinal && 'ordinals were given back',
    after.version !== before.version + 1 && 'a version was left out',
  ].filter(broken => broken !== false)
}

function policy(state: TurnState, call: CallState) {
  return state.catalog.get(call.item.name)?.replayPolicy
}
