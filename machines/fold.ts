// State from history. Strict: an event that may not follow is `illegal_history`, never ignored.

import { deepFreeze } from './json.ts'
import { callChart, type CallEvent, type CallSignal, type CallStateName } from './call.ts'
import { startOf, stepChart } from './chart.ts'
import { driverAfter, takeOver } from './driver.ts'
import { ToolturnError } from './errors.ts'
import { EVENT_SCHEMAS, isEventType, SCHEMA_VERSION, type Event, type EventOf, type StoredEvent } from './events.ts'
import type { Completion } from './events/round.ts'
import { misfit } from './misfit.ts'
import { misplacement } from './place.ts'
import { remember, rememberCall } from './remember.ts'
import { callStateName, hasEnded, isMiss, nextCall, type CallState, type TurnState } from './state.ts'
import { turnChart, type Next, type TurnSignal } from './turn.ts'

/** Folds a whole history. @throws ToolturnError `illegal_history`, `schema_newer` */
export function fold(events: readonly Event[]): TurnState {
  const [first, ...rest] = events
  if (first === undefined) throw illegal('', 0, 'nothing', 'a stream is empty')
  return rest.reduce(step, openState(first))
}

/** Folds events behind a state. */
export function foldOn(state: TurnState, events: readonly Event[]): TurnState {
  return events.reduce(step, state)
}

/**
 * The state after one more event.
 *
 * @throws ToolturnError `illegal_history` when the event is no edge from here, or its version is not the next one
 */
export function step(state: TurnState, event: Event): TurnState {
  const misplaced = misplacement(state, event)
  if (misplaced !== null) throw illegal(event.turnId, event.version, event.type, misplaced)
  const stepped = remember(stepCall(takeOver(state, event), event), event)
  const chart = stepChart(turnChart, stepped.chart, signalOf(state, stepped, event))
  if (chart === null) {
    throw illegal(event.turnId, event.version, event.type, `no edge from turn state ${state.chart.value}`)
  }
  const next = { ...stepped, chart, version: event.version, head: event.hash, worked: event.worked }
  return { ...next, driver: driverAfter(next) }
}

function openState(event: Event): TurnState {
  if (event.type !== 'turn.opened' || event.version !== 1) throw illegal(event.turnId, event.version, event.type, 'turn.opened was due')
  const chart = stepChart(turnChart, startOf(turnChart), { type: 'turn.opened' })
  if (chart === null) throw illegal(event.turnId, event.version, event.type, 'no edge')
  // Tools and policies are shown parts of it.
  const data = deepFreeze(event.data)
  return {
    turnId: event.turnId,
    tenant: event.tenant,
    version: 1,
    head: event.hash,
    chart,
    opened: data,
    catalog: new Map(data.catalog.map(tool => [tool.name, tool])),
    openedAt: event.time,
    attempt: 1,
    worked: event.worked,
    nextOrdinal: 1,
    driver: null,
    calls: new Map(),
    rounds: [],
    contentTrust: data.contentTrust,
    failedTries: 0,
    asks: 0,
    ask: null,
    end: null,
    toolsSeen: [],
    outcomesSeen: [],
  }
}

/** Routes call.* and approval.* events, and the ask, to the chart of their call. */
function stepCall(state: TurnState, event: Event): TurnState {
  const ordinal = callOrdinal(event)
  if (ordinal === null) return state
  const call = state.calls.get(ordinal)
  if (call === undefined) {
    // A completion may come when its attempt is over: its call is no longer held in memory, and nothing depends on it.
    if (event.type === 'call.late' && ordinal < state.nextOrdinal) return state
    throw illegal(event.turnId, event.version, event.type, `there is no call ${ordinal} in this attempt`)
  }
  const chart = stepChart(callChart, call.chart, callSignal(event as CallEvent, call, state))
  if (chart === null) {
    throw illegal(event.turnId, event.version, event.type, `no edge from call state ${callStateName(call)} of call ${ordinal}`)
  }
  const calls = new Map(state.calls)
  calls.set(ordinal, rememberCall({ ...call, chart } satisfies CallState, event as CallEvent))
  return { ...state, calls }
}

function callOrdinal(event: Event): number | null {
  if (event.type === 'clarification.asked') return event.data.ordinal
  return event.type.startsWith('call.') || event.type.startsWith('approval.') ? (event as CallEvent).data.ordinal : null
}

function callSignal(event: CallEvent, call: CallState, state: TurnState): CallSignal {
  switch (event.type) {
    case 'call.dispatched': {
      const mayRunAgain = state.catalog.get(call.item.name)?.replayPolicy !== 'at-most-once'
      return { type: event.type, dispatch: event.data.dispatch, ask: isAsk(state, call), mayRunAgain, miss: isMiss(call) }
    }
    case 'call.recorded':
    case 'call.inquired':
    case 'call.failed':
    case 'call.late':
      return { type: event.type, dispatch: event.data.dispatch }
    case 'call.settled':
      return { type: event.type, dispatch: event.data.dispatch, settled: event.data.settled }
    case 'call.admitted':
    case 'call.held':
    case 'call.invalid':
    case 'call.refused':
    case 'call.suppressed':
      return { type: event.type, completion: completionOf(state, call) }
    case 'call.ended': {
      const readOnly = state.catalog.get(call.item.name)?.replayPolicy === 'read-only'
      return { type: event.type, harmless: readOnly || hasEnded(state) }
    }
    case 'approval.granted':
    case 'approval.denied':
    case 'approval.expired':
    case 'approval.turned-away':
      return { type: event.type }
    case 'clarification.asked':
      return { type: event.type, ask: isAsk(state, call) }
  }
}

function isAsk(state: TurnState, call: CallState): boolean {
  return call.item.name === state.opened.ask
}

function completionOf(state: TurnState, call: CallState): Completion {
  return state.rounds[call.round - 1]?.completion ?? 'truncated'
}

/** What the turn chart reads of an event. @param after with the call stepped and remembered */
function signalOf(before: TurnState, after: TurnState, event: Event): TurnSignal {
  switch (event.type) {
    case 'round.recorded': {
      const calls = event.data.items.filter(item => item.kind === 'call').length
      return { type: event.type, calls, completion: event.data.completion, final: isFinal(event) }
    }
    case 'call.dispatched':
      return { type: event.type, from: callIn(before, event.data.ordinal) }
    case 'turn.failed': {
      const started = callIn(after, event.data.ordinal) === 'dispatched'
      return { type: event.type, inDoubt: leavesDoubt(event.data.code), started, next: nextOf(after) }
    }
    case 'call.ended':
      return { type: event.type, retried: event.data.reason === 'retried', next: nextOf(after) }
    case 'attempt.started':
      // A new attempt lays the calls of the old one aside; whether one of them was left open is read before that.
      return { type: event.type, next: nextOf(before) }
    case 'turn.opened':
    case 'round.requested':
    case 'round.failed':
    case 'call.failed':
    case 'call.inquired':
    case 'call.late':
    case 'clarification.answered':
    case 'clarification.expired':
    case 'clarification.turned-away':
    case 'turn.cancelling':
      return { type: event.type }
    default:
      return { type: event.type, next: nextOf(after) }
  }
}

function callIn(state: TurnState, ordinal: number | undefined): CallStateName | null {
  const call = ordinal === undefined ? undefined : state.calls.get(ordinal)
  return call === undefined ? null : callStateName(call)
}

/** The ends that leave their open calls as they are, until the doubt is settled. */
export function leavesDoubt(code: string): boolean {
  return code === 'tool_outcome_unknown' || code === 'tool_record_failed'
}

/** A round without calls after which nothing more is to be asked. */
function isFinal(event: EventOf<'round.recorded'>): boolean {
  const { completion, output } = event.data
  return completion === 'refused' || (completion === 'clean' && (output === null || output.valid))
}

function nextOf(state: TurnState): Next {
  const call = nextCall(state)
  if (call === null) return 'none'
  return callStateName(call) === 'held' ? 'held' : 'ready'
}

/**
 * A stored event as this release understands it.
 *
 * @throws ToolturnError `schema_newer` for a type or schema version of a later release, `replay_source_missing` for an erased
 *   payload, `illegal_history` for a payload that does not fit its schema
 */
export function parseEvent(stored: StoredEvent): Event {
  const { turnId, version, type } = stored
  if (!isEventType(type) || stored.schemaVersion > SCHEMA_VERSION) {
    throw new ToolturnError('schema_newer', `Version ${version} of the turn is an event of a newer release: ${type}.`, {
      turnId,
      version,
      type,
    })
  }
  if (stored.salt === null) {
    throw new ToolturnError('replay_source_missing', `The payload of version ${version} was erased.`, { turnId, version, type })
  }
  const wrong = misfit(EVENT_SCHEMAS[type], stored.data)
  if (wrong !== null) throw illegal(turnId, version, type, `its payload does not fit: ${wrong.at} ${wrong.keyword}`)
  const { salt: _salt, dataHash: _dataHash, ...event } = stored
  return event as Event
}

function illegal(turnId: string, version: number, event: string, why: string): ToolturnError {
  return new ToolturnError('illegal_history', `Event ${event} at version ${version} may not stand there: ${why}.`, {
    turnId,
    version,
    event,
  })
}
