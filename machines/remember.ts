// What an event leaves behind beside the charts: the counters, texts and results that decisions and the transcript need.

import { callChart, type CallEvent } from './call.ts'
import { startOf } from './chart.ts'
import type { Event, EventOf } from './events.ts'
import { outcomeOf, type CallInquiry, type CallState, type Stop, type TurnEnd, type TurnState } from './state.ts'
import { epochMs } from './time.ts'
import type { ContentTrust } from './tool.ts'

/** Trust never rises within an attempt (C1). */
export function meet(a: ContentTrust, b: ContentTrust): ContentTrust {
  return a === 'trusted' && b === 'trusted' ? 'trusted' : 'untrusted'
}

/** @param state with the event's call already stepped */
export function remember(state: TurnState, event: Event): TurnState {
  switch (event.type) {
    case 'attempt.started':
      return startAttempt(state, event)
    case 'round.failed':
      return { ...state, failedTries: state.failedTries + 1 }
    case 'round.recorded':
      return rememberRound(state, event)
    case 'call.inquired':
      return { ...state, asks: state.asks + 1 }
    case 'call.recorded':
      return seen({ ...state, contentTrust: meet(state.contentTrust, event.data.contentTrust) }, event.data.ordinal)
    case 'call.settled':
      if (event.data.settled === 'did-not-happen') return reopen(state)
      return seen({ ...reopen(state), contentTrust: meet(state.contentTrust, event.data.contentTrust) }, event.data.ordinal)
    case 'call.admitted':
    case 'call.held':
    case 'call.invalid':
    case 'call.refused':
    case 'call.suppressed':
    case 'call.ended':
    case 'approval.denied':
    case 'approval.expired':
      return seen(state, event.data.ordinal)
    case 'clarification.asked':
      return {
        ...seen(state, event.data.ordinal),
        asks: state.asks + 1,
        ask: { ordinal: event.data.ordinal, expiresAt: epochMs(event.data.expiresAt), turnedAway: 0 },
      }
    case 'clarification.answered':
      return answerAsk(state, event)
    case 'clarification.turned-away':
      return state.ask === null ? state : { ...state, ask: { ...state.ask, turnedAway: state.ask.turnedAway + 1 } }
    case 'turn.completed':
      return { ...state, end: end({ output: event.data.output }) }
    case 'turn.refused':
    case 'turn.cancelled':
      return { ...state, end: end({}) }
    case 'turn.exhausted':
      return { ...state, end: end({ limit: event.data.limit }) }
    case 'turn.failed':
      return { ...state, end: end({ code: event.data.code, ordinal: event.data.ordinal ?? null }) }
    case 'turn.opened':
    case 'round.requested':
    case 'call.dispatched':
    case 'call.failed':
    case 'call.late':
    case 'approval.granted':
    case 'approval.turned-away':
    case 'clarification.expired':
    case 'turn.cancelling':
      return state
  }
}

/** Nothing of the earlier attempts is served to this one; ordinals go on rising (D1, D7). */
function startAttempt(state: TurnState, event: EventOf<'attempt.started'>): TurnState {
  return {
    ...state,
    attempt: event.data.attempt,
    worked: 0,
    calls: new Map(),
    rounds: [],
    contentTrust: state.opened.contentTrust,
    failedTries: 0,
    asks: 0,
    ask: null,
    end: null,
  }
}

function rememberRound(state: TurnState, event: EventOf<'round.recorded'>): TurnState {
  const { data } = event
  const calls = new Map(state.calls)
  let { nextOrdinal, contentTrust } = state
  const tools = new Set(state.toolsSeen)
  for (const item of data.items) {
    if (item.kind === 'provider-tool') contentTrust = 'untrusted'
    if (item.kind !== 'call') continue
    calls.set(item.ordinal, proposed(item, data.round))
    nextOrdinal = Math.max(nextOrdinal, item.ordinal + 1)
    if (state.catalog.has(item.name)) tools.add(item.name)
  }
  const toolsSeen = tools.size === state.toolsSeen.length ? state.toolsSeen : [...tools].sort()
  return { ...state, calls, nextOrdinal, contentTrust, toolsSeen, failedTries: 0, rounds: [...state.rounds, data] }
}

const PROPOSED = startOf(callChart)

function proposed(item: CallState['item'], round: number): CallState {
  return {
    ordinal: item.ordinal,
    round,
    item,
    chart: PROPOSED,
    prepared: null,
    holds: 0,
    hold: null,
    grant: null,
    deniedBy: null,
    stop: null,
    failedTries: 0,
    recorded: null,
    lost: false,
    inquiry: null,
    answer: null,
  }
}

/** What an event leaves with its call. @param call already stepped */
export function rememberCall(call: CallState, event: CallEvent): CallState {
  switch (event.type) {
    case 'call.admitted':
      return { ...call, prepared: prepared(event.data) }
    case 'call.held':
      return holdCall(call, event)
    case 'call.invalid':
    case 'call.refused':
    case 'call.ended':
      return stopCall(call, { gate: event.data.gate, reason: event.data.reason, text: event.data.text })
    case 'call.suppressed':
      return stopCall(call, { gate: event.data.gate, reason: event.data.reason, text: event.data.text, of: event.data.of })
    case 'call.dispatched':
      return { ...call, failedTries: 0 }
    case 'call.failed':
      return { ...call, failedTries: call.failedTries + 1 }
    case 'call.recorded': {
      const { result, digest, bytes, truncated, blob } = event.data
      return { ...call, recorded: { result, digest, bytes, truncated, ...(blob === undefined ? {} : { blob }) }, lost: false }
    }
    case 'call.inquired': {
      const { forms, state, sealed } = event.data
      return { ...call, inquiry: { forms: forms as CallInquiry['forms'], state, sealed, answers: null } }
    }
    case 'call.settled':
      return event.data.recorded === undefined ? call : { ...call, recorded: event.data.recorded, lost: false }
    case 'approval.granted':
      return grantCall(call, event)
    case 'approval.denied':
      return { ...stopCall(call, { gate: 'authorization', reason: 'denied', text: '' }), deniedBy: event.data.by }
    case 'approval.expired':
      return stopCall(call, { gate: 'authorization', reason: 'expired', text: '' })
    case 'approval.turned-away':
      return call.hold === null ? call : { ...call, hold: { ...call.hold, turnedAway: call.hold.turnedAway + 1 } }
    case 'clarification.asked':
      return stopCall(call, { gate: null, reason: 'asked', text: '' })
    case 'call.late':
      return call
  }
}

/** A call that stops has no record, not even the short one after which it was to run again. */
function stopCall(call: CallState, stop: Stop): CallState {
  return { ...call, recorded: null, stop }
}

function holdCall(call: CallState, event: EventOf<'call.held'>): CallState {
  const { approvalId, contentTrust, approvers, expiresAt } = event.data
  const hold = { approvalId, contentTrust, approvers, expiresAt: epochMs(expiresAt), turnedAway: 0, granted: false }
  // An inquiry asks something else than whether the call may run: what was granted stays granted.
  const grant = event.data.forms === undefined ? null : call.grant
  return { ...call, prepared: prepared(event.data), holds: call.holds + 1, hold, grant }
}

function grantCall(call: CallState, event: EventOf<'approval.granted'>): CallState {
  const { approvalId, by, via, edited, answers } = event.data
  const hold = call.hold === null ? null : { ...call.hold, granted: true }
  if (answers !== undefined && call.inquiry !== null) return { ...call, hold, inquiry: { ...call.inquiry, answers } }
  const grant = { approvalId, by, via, edited: edited !== null, approvers: hold?.approvers ?? null }
  if (edited === null || call.prepared === null) return { ...call, hold, grant }
  return { ...call, hold, grant, prepared: { ...call.prepared, ...edited } }
}

function prepared(data: EventOf<'call.admitted'>['data'] | EventOf<'call.held'>['data']): NonNullable<CallState['prepared']> {
  const { descriptor, arguments: args, argumentsDigest, masked } = data
  return { descriptor, arguments: args, argumentsDigest, masked }
}

function answerAsk(state: TurnState, event: EventOf<'clarification.answered'>): TurnState {
  const call = state.calls.get(event.data.ordinal)
  if (call === undefined) return state
  const calls = new Map(state.calls)
  calls.set(call.ordinal, { ...call, answer: { value: event.data.answer } })
  return { ...state, calls }
}

/** A settled doubt takes the turn's end back. */
function reopen(state: TurnState): TurnState {
  return { ...state, end: null }
}

function seen(state: TurnState, ordinal: number): TurnState {
  const call = state.calls.get(ordinal)
  const outcome = call === undefined ? null : outcomeOf(call)
  if (outcome === null || state.outcomesSeen.includes(outcome)) return state
  return { ...state, outcomesSeen: [...state.outcomesSeen, outcome].sort() }
}

function end(given: Partial<TurnEnd>): TurnEnd {
  return { code: null, limit: null, output: null, ordinal: null, ...given }
}
