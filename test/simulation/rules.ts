// The rules that hold over a turn's events, in the words of the contract. Each takes the turn as it was told before the event.

import type { Event, EventOf } from '../../machines/events.ts'
import { callOf, takeDecision, takeDispatch, takeResult, takeVerdict, type Unless } from './call-rules.ts'
import { newCall, startOver, tell, type Told } from './history.ts'

/** Holds an event against the rules and takes it over. @returns what it breaks */
export function takeEvent(told: Told | null, event: Event): { readonly told: Told; readonly broken: readonly string[] } {
  if (told === null) {
    if (event.type !== 'turn.opened') throw new Error('a stream begins with turn.opened')
    return { told: tell(event), broken: [] }
  }
  const broken: string[] = []
  const unless = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule)
  }
  if (event.type !== 'attempt.started') unless(event.worked >= told.worked, 'the working time of an attempt goes back')
  judge(told, event, unless)
  told.worked = event.worked
  return { told, broken }
}

function judge(told: Told, event: Event, unless: Unless): void {
  switch (event.type) {
    case 'round.recorded':
      return takeRound(told, event, unless)
    case 'call.admitted':
    case 'call.held':
    case 'call.invalid':
    case 'call.refused':
    case 'call.suppressed':
    case 'call.ended':
      return takeVerdict(told, event, unless)
    case 'call.dispatched':
      return takeDispatch(told, event, unless)
    case 'call.failed':
    case 'call.recorded':
    case 'call.settled':
      return takeResult(told, event, unless)
    case 'approval.granted':
    case 'approval.denied':
    case 'approval.expired':
    case 'approval.turned-away':
      return takeDecision(told, event, unless)
    case 'clarification.asked':
    case 'clarification.answered':
    case 'clarification.expired':
    case 'clarification.turned-away':
      return takeClarification(told, event, unless)
    case 'call.late':
      return unless(event.data.ordinal <= told.ordinals, 'D1: a late completion of a call that never was')
    case 'call.inquired':
      return unless(false, 'a tool of the simulation asks nobody')
    case 'turn.opened':
      return unless(false, 'D1: a turn opens once')
    case 'round.requested':
      return unless(told.ended === null && !told.cancelling, 'a round is asked for in a turn that is over')
    case 'round.failed':
      return takeFailure(told, event, unless)
    case 'attempt.started':
    case 'turn.cancelling':
    case 'turn.completed':
    case 'turn.refused':
    case 'turn.exhausted':
    case 'turn.cancelled':
    case 'turn.failed':
      return takeTurn(told, event, unless)
  }
}

function takeFailure(told: Told, { data }: EventOf<'round.failed'>, unless: Unless): void {
  told.failures += 1
  unless(told.ended === null && !told.cancelling, 'a round is asked for in a turn that is over')
  unless(data.try === told.failures, 'tries are counted from one')
  unless(told.failures <= told.opened.limits.modelTries, 'limits.modelTries: asked too often')
}

function takeRound(told: Told, { data }: EventOf<'round.recorded'>, unless: Unless): void {
  const open = [...told.calls.values()].filter(call => call.outcome === null)
  unless(open.length === 0, 'D2: a round is recorded while a call of an earlier one has no outcome')
  unless(told.ended === null, 'a round is recorded in a turn that has ended')
  unless(told.asking === null, 'E3: a round is recorded while the person is asked')
  const { limits } = told.opened
  unless(told.truncations <= limits.truncationRetries || told.cancelling, 'limits.truncationRetries: asked again too often')
  unless(told.invalid.size <= limits.repairs || told.cancelling, 'limits.repairs: too many rounds with invalid calls')
  told.rounds += 1
  told.failures = 0
  told.lastCompletion = data.completion
  told.truncations = data.completion === 'truncated' ? told.truncations + 1 : 0
  unless(told.rounds <= limits.rounds || told.cancelling, 'limits.rounds: more rounds than allowed')
  for (const item of data.items) {
    if (item.kind === 'provider-tool') told.trust = 'untrusted'
    if (item.kind !== 'call') continue
    told.ordinals += 1
    unless(item.ordinal === told.ordinals, 'D1: ordinals rise by one over all attempts')
    told.calls.set(item.ordinal, newCall(item.ordinal, item.name, told.rounds))
  }
}

type Clarification = EventOf<'clarification.asked' | 'clarification.answered' | 'clarification.expired' | 'clarification.turned-away'>

function takeClarification(told: Told, event: Clarification, unless: Unless): void {
  const call = callOf(told, event.data.ordinal, unless)
  if (call === null) return
  if (event.type === 'clarification.asked') {
    unless(call.outcome === null && call.judged, 'E2: an ask that was not admitted is asked')
    told.asks += 1
    unless(told.asks <= told.opened.limits.clarifications, 'limits.clarifications: too many asks')
    call.outcome = 'ended-turn'
    told.asking = call.ordinal
    return
  }
  unless(told.asking === call.ordinal, `E3: a ${event.type} while nothing is asked`)
  if (event.type === 'clarification.turned-away') return
  if (event.type === 'clarification.answered') {
    const { by, via } = event.data
    const { principal } = told.opened
    const acts = principal?.kind === 'person' && by.kind === 'person' && by.id === principal.id && by.issuer === principal.issuer
    unless(acts && (via === 'app' || via === 'mcp'), 'E3: an answer by somebody who was not asked')
    told.asking = null
  }
}

type TurnEvent = EventOf<
  'attempt.started' | 'turn.cancelling' | 'turn.completed' | 'turn.refused' | 'turn.exhausted' | 'turn.cancelled' | 'turn.failed'
>

function takeTurn(told: Told, event: TurnEvent, unless: Unless): void {
  const open = [...told.calls.values()].filter(call => call.outcome === null)
  if (event.type === 'turn.cancelling') {
    unless(told.ended === null && !told.cancelling, 'a turn is cancelled that is over')
    told.cancelling = true
    return
  }
  if (event.type === 'attempt.started') {
    unless(told.ended !== null && open.length === 0, 'D7: an attempt begins before the one before it is over')
    unless(told.ended !== 'turn.completed' && told.ended !== 'turn.refused', 'D7: a turn is retried that was done')
    unless(event.data.attempt === told.attempt + 1, 'attempts are counted from one')
    unless(event.worked === 0, 'D7: an attempt begins with the working time of the one before it')
    startOver(told, event.data.attempt)
    return
  }
  unless(told.ended === null, 'a turn ends twice')
  const { type, data } = event
  told.doubt = type === 'turn.failed' && (data.code === 'tool_outcome_unknown' || data.code === 'tool_record_failed')
  unless(told.doubt || open.length === 0, 'G4: a turn ends with an open call')
  if (told.doubt)
    unless(
      open.some(call => call.inFlight),
      'a turn fails in doubt and nothing was started',
    )
  unless(!told.cancelling || type === 'turn.cancelled' || type === 'turn.failed', 'a turn that is being cancelled ends otherwise')
  told.ended = type
  told.asking = null
}
