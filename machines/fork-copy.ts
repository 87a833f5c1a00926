// What a fork copies of a prefix: its records, under the new turn's own ids, without what was open when it was cut off (D13).

import type { Event, EventOf, Fact } from './events.ts'
import { startedAnew } from './fork-point.ts'
import { approvalId, invocationId, parseApprovalId } from './ids.ts'
import { callsOfRound, type CallState, type TurnState } from './state.ts'

/** What the copies are made for. */
type Cut = {
  /** The source, folded up to where it is cut. */
  readonly state: TurnState
  readonly turnId: string
  /** Of each call that starts anew: the version up to which its events are copied. */
  readonly kept: ReadonlyMap<number, number>
  /** Failed tries behind this version were for the round that the fork asks for itself. */
  readonly asked: number
}

/**
 * The facts of a fork.
 *
 * @param events the prefix, whole
 * @param state the same, folded
 * @param turnId of the new turn
 */
export function copyPrefix(events: readonly Event[], state: TurnState, turnId: string): readonly Fact[] {
  const starts: readonly string[] = ['turn.opened', 'attempt.started', 'round.recorded']
  const asked = events.findLast(event => starts.includes(event.type))?.version ?? 0
  const cut = { state, turnId, asked, kept: keptVersions(events, state) }
  return events.flatMap(event => copyOf(event, cut) ?? [])
}

function keptVersions(events: readonly Event[], state: TurnState): Map<number, number> {
  return new Map(startedAnew(state).map(call => [call.ordinal, lastKept(events, state, call)?.version ?? 0]))
}

function lastKept(events: readonly Event[], state: TurnState, call: CallState): Event | undefined {
  const ofCall = events.filter(event => 'ordinal' in event.data && event.data.ordinal === call.ordinal)
  // A short form that is run again after later rounds: until it has another record it is what they were asked with (D9).
  if (call.recorded !== null) return ofCall.findLast(isRecord)
  // A read stays in doubt where others started beside it, since calls start in their order (D5). It is run again, as any read.
  if (startedBeside(state, call)) return ofCall.find(event => event.type === 'call.dispatched')
  return ofCall.find(event => event.type === 'call.admitted' || event.type === 'call.held')
}

function isRecord(event: Event): boolean {
  return event.type === 'call.recorded' || (event.type === 'call.settled' && event.data.settled === 'happened')
}

function startedBeside(state: TurnState, call: CallState): boolean {
  return dispatches(call) > 0 && callsOfRound(state, call.round).some(other => other.ordinal > call.ordinal && dispatches(other) > 0)
}

const dispatches = (call: CallState): number => call.chart.context.dispatch

/** Null for what is not copied. */
function copyOf(event: Event, cut: Cut): Fact | null {
  if (isLeftOut(event, cut)) return null
  const {
    turnId,
    state: { tenant },
  } = cut
  switch (event.type) {
    case 'turn.opened':
      return { type: event.type, data: { ...event.data, key: null, fork: { turnId: event.turnId, version: cut.state.version } } }
    case 'call.held':
      if (cut.kept.get(event.data.ordinal) === event.version) return admittedInstead(event)
      return { type: event.type, data: rebound(event.data, turnId) }
    case 'call.dispatched': {
      const { ordinal, tool } = event.data
      return { type: event.type, data: { ...event.data, invocationId: invocationId({ tenant, turnId, ordinal, tool }) } }
    }
    case 'approval.granted':
      return { type: event.type, data: rebound(event.data, turnId) }
    case 'approval.denied':
      return { type: event.type, data: rebound(event.data, turnId) }
    case 'approval.expired':
      return { type: event.type, data: rebound(event.data, turnId) }
    case 'approval.turned-away':
      return { type: event.type, data: rebound(event.data, turnId) }
    default:
      return { type: event.type, data: event.data } as Fact
  }
}

function isLeftOut(event: Event, { kept, asked }: Cut): boolean {
  if (event.type === 'round.failed') return event.version > asked
  const { data } = event
  const stands = 'ordinal' in data && data.ordinal !== undefined ? kept.get(data.ordinal) : undefined
  return stands !== undefined && event.version > stands
}

/** The same hold of the same call in another turn. */
function rebound<D extends { approvalId: string; ordinal: number }>(data: D, turnId: string): D {
  const hold = parseApprovalId(data.approvalId)?.hold ?? 1
  return { ...data, approvalId: approvalId(turnId, data.ordinal, hold) }
}

/** The call passed every gate but for the question, which the loop asks again before it dispatches. */
function admittedInstead({ data }: EventOf<'call.held'>): Fact {
  const { ordinal, tool, descriptor, arguments: args, argumentsDigest, masked, trail } = data
  return { type: 'call.admitted', data: { ordinal, tool, descriptor, arguments: args, argumentsDigest, masked, trail } }
}
