// The rules over one call: how it is judged, started, recorded and decided about.

import type { EventOf } from '../../machines/events.ts'
import { brokenTrail, descriptorOf, mayDecide, type Told, type ToldCall } from './history.ts'

/** Keeps a rule in mind that does not hold. */
export type Unless = (holds: boolean, rule: string) => void

type Verdict = EventOf<'call.admitted' | 'call.held' | 'call.invalid' | 'call.refused' | 'call.suppressed' | 'call.ended'>

const FINAL: { readonly [type: string]: string } = {
  'call.invalid': 'invalid',
  'call.refused': 'refused',
  'call.suppressed': 'suppressed-repeat',
  'call.ended': 'ended-turn',
}

export function takeVerdict(told: Told, event: Verdict, unless: Unless): void {
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
  if (ran && admission) bounded(told, call, unless)
  if (ran) Object.assign(call, { masked: event.data.masked, digest: event.data.argumentsDigest })
  if (event.type === 'call.invalid' && gate !== 'completion') told.invalid.add(call.round)
  if (event.type === 'call.ended' && call.inFlight) {
    unless(descriptorOf(told, call)?.replayPolicy === 'read-only' || told.ended !== null, 'G4: a call with effects is ended while it runs')
  }
  call.openHold = event.type === 'call.held' ? { id: event.data.approvalId, approvers: event.data.approvers, turnedAway: 0 } : null
  if (event.type === 'call.held') call.grant = null
  call.outcome = FINAL[event.type] ?? null
  if (call.outcome !== null) call.inFlight = false
}

/** Calls over a cap never go on. */
function bounded(told: Told, call: ToldCall, unless: Unless): void {
  const { limits } = told.opened
  const before = [...told.calls.values()].filter(other => other.ordinal < call.ordinal)
  unless(before.length < limits.callsPerTurn, 'limits.callsPerTurn: a call over it goes on')
  unless(before.filter(other => other.round === call.round).length < limits.callsPerRound, 'limits.callsPerRound: a call over it goes on')
  unless(told.rounds < limits.rounds, 'limits.rounds: a call of the last round goes on')
}

/** What must be so of a call that starts for the first time, beside what must be so of every start. */
function firstStart(told: Told, call: ToldCall, worked: number, unless: Unless): void {
  const earlier = [...told.calls.values()].filter(other => other.ordinal < call.ordinal)
  const policy = descriptorOf(told, call)?.replayPolicy
  const done = earlier.some(other => other.succeeded && other.digest === call.digest)
  unless(policy === 'read-only' || !done, 'B8: a call with effects that was made already is made again')
  unless(
    earlier.every(other => other.outcome !== null || other.inFlight),
    'D5: a call starts before one that stands before it',
  )
  unless(worked < told.opened.limits.turnTimeoutMs, 'limits.turnTimeoutMs: a call starts after the time of its turn')
}

export function takeDispatch(told: Told, { data, worked }: EventOf<'call.dispatched'>, unless: Unless): void {
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
  if (!again) firstStart(told, call, worked, unless)
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

export function takeResult(told: Told, event: EventOf<'call.failed' | 'call.recorded' | 'call.settled'>, unless: Unless): void {
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
  call.succeeded = recorded?.result.isError !== true
  if (event.data.contentTrust === 'untrusted') told.trust = 'untrusted'
  if (event.type === 'call.settled') reopen(told)
}

function reopen(told: Told): void {
  told.ended = null
  told.doubt = false
}

type Decision = EventOf<'approval.granted' | 'approval.denied' | 'approval.expired' | 'approval.turned-away'>

export function takeDecision(told: Told, event: Decision, unless: Unless): void {
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
  if (event.type === 'approval.granted' && event.data.edited !== null) {
    Object.assign(call, { masked: event.data.edited.masked, digest: event.data.edited.argumentsDigest })
  }
}

export function callOf(told: Told, ordinal: number, unless: Unless): ToldCall | null {
  const call = told.calls.get(ordinal)
  unless(call !== undefined, `D7: an event about call ${ordinal}, which is none of this attempt`)
  return call ?? null
}
