// The rules that hold over a turn's events, in the words of the contract. Each takes the turn as it was told before the event.

import type { Event, EventOf } from '../../machines/events.ts'
import { brokenTrail, descriptorOf, mayDecide, tell, type Told, type ToldCall } from './history.ts'

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

type Unless = (holds: boolean, rule: string) => void

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
    case 'turn.opened':
      return unless(false, 'D1: a turn opens once')
    case 'round.requested':
    case 'round.failed':
      return unless(told.ended === null && !told.cancelling, 'a round is asked for in a turn that is over')
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

function takeRound(told: Told, { data }: EventOf<'round.recorded'>, unless: Unless): void {
  const open = [...told.calls.values()].filter(call => call.outcome === null)
  unless(open.length === 0, 'D2: a round is recorded while a call of an earlier one has no outcome')
  unless(told.ended === null, 'a round is recorded in a turn that has ended')
  unless(told.asking === null, 'E3: a round is recorded while the person is asked')
  told.rounds += 1
  told.lastCompletion = data.completion
  unless(told.rounds <= told.opened.limits.rounds || told.cancelling, 'limits.rounds: more rounds than allowed')
  for (const item of data.items) {
    if (item.kind === 'provider-tool') told.trust = 'untrusted'
    if (item.kind !== 'call') continue
    told.ordinals += 1
    unless(item.ordinal === told.ordinals, 'D1: ordinals rise by one over all attempts')
    told.calls.set(item.ordinal, {
      ordinal: item.ordinal,
      name: item.name,
      round: told.rounds,
      judged: false,
      outcome: null,
      dispatch: 0,
      inFlight: false,
      failedTries: 0,
      openHold: null,
      grant: null,
      masked: false,
      miss: null,
      kept: false,
    })
  }
}

type Verdict = EventOf<'call.admitted' | 'call.held' | 'call.invalid' | 'call.refused' | 'call.suppressed' | 'call.ended'>

const FINAL: { readonly [type: string]: string } = {
  'call.invalid': 'invalid',
  'call.refused': 'refused',
  'call.suppressed': 'suppressed-repeat',
  'call.ended': 'ended-turn',
}

function takeVerdict(told: Told, event: Verdict, unless: Unless): void {
  const call = callOf(told, event.data.ordinal, unless)
  if (call === null) return
  unless(call.outcome === null, 'every call has one outcome')
  const admission = !call.judged
  call.judged = true
  const gate = 'gate' in event.data ? event.data.gate : null
  const host = event.type === 'call.ended' && gate === null
  unless(host || !brokenTrail(event.data.trail, gate, admission), `B1: the trail of ${event.type} is no prefix of the order of the gates`)
  const ran = event.type === 'call.admitted' || event.type === 'call.held'
  if (ran)
    unless(told.lastCompletion === 'clean' || told.lastCompletion === 'paused', 'B4: a call of a round that did not end clean goes on')
  if (ran) unless(descriptorOf(told, call) !== undefined, 'a call of a tool that is not in the catalog goes on')
  if (ran) call.masked = event.data.masked
  if (event.type === 'call.ended' && call.inFlight) {
    unless(descriptorOf(told, call)?.replayPolicy === 'read-only' || told.ended !== null, 'G4: a call with effects is ended while it runs')
  }
  call.openHold = event.type === 'call.held' ? { id: event.data.approvalId, approvers: event.data.approvers, turnedAway: 0 } : null
  if (event.type === 'call.held') call.grant = null
  call.outcome = FINAL[event.type] ?? null
  if (call.outcome !== null) call.inFlight = false
}

function takeDispatch(told: Told, { data }: EventOf<'call.dispatched'>, unless: Unless): void {
  const call = callOf(told, data.ordinal, unless)
  if (call === null) return
  const tool = descriptorOf(told, call)
  const policy = tool?.replayPolicy
  const again = call.inFlight || (call.miss !== null && !call.kept)
  unless(call.judged && call.openHold === null, 'a call is started that was not admitted')
  unless(call.outcome === null || again, 'a call is started that has its outcome')
  unless(told.ended === null, 'a call is started in a turn that has ended')
  unless(!told.cancelling || again, 'G4: a call is started while the turn is being cancelled')
  unless(!again || policy !== 'at-most-once', 'D4: a call in doubt of an at-most-once tool is started again')
  unless(!again || call.dispatch < told.opened.limits.dispatches, 'D4: started again over limits.dispatches')
  unless(data.dispatch === call.dispatch + 1, 'dispatches are counted from one')
  const others = [...told.calls.values()].filter(other => other.inFlight && other !== call)
  const together = [call, ...others].every(other => descriptorOf(told, other)?.replayPolicy === 'read-only')
  unless(others.length === 0 || together, 'D5: a call starts beside one with effects')
  unless(others.length < Math.max(1, told.opened.limits.concurrentReads) || again, 'limits.concurrentReads: too many calls at once')
  const asks = tool?.approval === 'always' || (tool?.approval === 'when-untrusted' && told.trust === 'untrusted')
  if (asks && !again) {
    unless(call.grant !== null, 'C9: a call starts without the consent that it needs')
    if (call.grant !== null)
      unless(
        mayDecide(told, call.grant.approvers, call.grant.by, call.grant.via),
        'C9: a call starts by the consent of somebody who may not give it',
      )
  }
  call.dispatch = data.dispatch
  call.inFlight = true
  call.failedTries = 0
  call.outcome = null
}

function takeResult(told: Told, event: EventOf<'call.failed' | 'call.recorded' | 'call.settled'>, unless: Unless): void {
  const call = callOf(told, event.data.ordinal, unless)
  if (call === null) return
  unless(call.inFlight, `a ${event.type} of a call that is not in flight`)
  unless(event.data.dispatch === call.dispatch, `a ${event.type} of another dispatch`)
  if (event.type === 'call.failed') {
    call.failedTries += 1
    unless(event.data.try === call.failedTries, 'tries are counted from one')
    return
  }
  call.inFlight = false
  if (event.type === 'call.settled' && event.data.settled === 'did-not-happen') {
    call.miss = null
    reopen(told)
    return
  }
  unless(call.outcome === null, 'every call has one outcome')
  call.outcome = 'executed'
  const recorded = event.type === 'call.recorded' ? event.data : event.data.recorded
  call.miss = recorded?.truncated === true ? event.version : null
  call.kept = recorded?.blob !== undefined
  if (event.data.contentTrust === 'untrusted') told.trust = 'untrusted'
  if (event.type === 'call.settled') reopen(told)
}

function reopen(told: Told): void {
  told.ended = null
  told.doubt = false
}

type Decision = EventOf<'approval.granted' | 'approval.denied' | 'approval.expired' | 'approval.turned-away'>

function takeDecision(told: Told, event: Decision, unless: Unless): void {
  const call = callOf(told, event.data.ordinal, unless)
  if (call === null) return
  const hold = call.openHold
  unless(hold !== null && hold.id === event.data.approvalId, 'C5: a decision over a hold that is not open')
  if (hold === null) return
  if (event.type === 'approval.expired') {
    call.openHold = null
    call.outcome = 'refused'
    return
  }
  const { by, via } = event.data
  if (event.type === 'approval.turned-away') {
    hold.turnedAway += 1
    unless(!mayDecide(told, hold.approvers, by, via), 'C3: somebody who may decide is turned away')
    unless(hold.turnedAway <= told.opened.limits.turnedAway, 'limits.turnedAway: too many refusals recorded')
    return
  }
  unless(mayDecide(told, hold.approvers, by, via), 'C3: a decision by somebody who may not decide')
  call.openHold = null
  if (event.type === 'approval.denied') call.outcome = 'refused'
  else call.grant = { by, via, approvers: hold.approvers }
  if (event.type === 'approval.granted' && event.data.edited !== null) call.masked = event.data.edited.masked
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
    Object.assign(told, { attempt: event.data.attempt, trust: startTrust(told), rounds: 0, asks: 0, asking: null })
    Object.assign(told, { cancelling: false, ended: null, doubt: false, calls: new Map<number, ToldCall>() })
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

function startTrust({ opened }: Told): Told['trust'] {
  return opened.input.some(input => input.contentTrust === 'untrusted') ? 'untrusted' : opened.contentTrust
}

function callOf(told: Told, ordinal: number, unless: Unless): ToldCall | null {
  const call = told.calls.get(ordinal)
  unless(call !== undefined, `D7: an event about call ${ordinal}, which is none of this attempt`)
  return call ?? null
}
