// What a turn is after the events so far: its charts, and what they leave to be remembered. Plain, immutable data.

import type { CallSnapshot, CallStateName } from './call.ts'
import type { RecordedResult, Gate } from './events/shapes.ts'
import type { RoundCall, RoundRecorded } from './events/round.ts'
import type { TurnOpened, TurnOutput } from './events/turn.ts'
import type { CallPrepared } from './events/call.ts'
import type { ErrorCode } from './errors.ts'
import type { LimitName } from './limits.ts'
import type { Outcome } from './ids.ts'
import type { Inquired, Inquiry } from './inquiry.ts'
import type { Json } from './json.ts'
import type { Approver, Principal, Via } from './principal.ts'
import type { ContentTrust, ToolDescriptor } from './tool.ts'
import type { TurnSnapshot } from './turn.ts'
import type { TurnStateName } from './ports/rows.ts'

/** The open hold of a call, or the last one it had. */
export type Hold = {
  readonly approvalId: string
  readonly contentTrust: ContentTrust
  readonly approvers: readonly Approver[] | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Resolves that were turned away and recorded. */
  readonly turnedAway: number
  readonly granted: boolean
}

/** A person's consent to a call. */
export type Grant = {
  readonly approvalId: string
  readonly by: Principal
  readonly via: Via
  readonly edited: boolean
  /** Who might resolve the hold that it answered. */
  readonly approvers: readonly Approver[] | null
}

/** What the tool of a call wanted to know last, and what the person answered. */
export type CallInquiry = {
  readonly forms: Inquiry['forms']
  readonly state: string | null
  readonly sealed: boolean
  readonly answers: Inquired['answers'] | null
}

/** Why a call did not run, in the host's words; what the model reads as its result. */
export type Stop = { readonly gate: Gate | null; readonly reason: string; readonly text: string; readonly of?: number }

export type CallState = {
  readonly ordinal: number
  readonly round: number
  readonly item: RoundCall
  readonly chart: CallSnapshot
  /** Redacted arguments and digests, once it passed the arguments gate; the effective ones after an edit. */
  readonly prepared: CallPrepared | null
  readonly holds: number
  readonly hold: Hold | null
  readonly grant: Grant | null
  readonly deniedBy: Principal | null
  readonly stop: Stop | null
  /** Failed tries of the last dispatch. */
  readonly failedTries: number
  readonly recorded: RecordedResult | null
  /** True: `recorded` is a miss, and the driver that recorded it is gone (D9). */
  readonly lost: boolean
  readonly inquiry: CallInquiry | null
  /** The answer of the acting person, where the call is an ask. */
  readonly answer: { readonly value: Json } | null
}

/** A clarification that was asked last. */
export type Ask = { readonly ordinal: number; readonly expiresAt: number; readonly turnedAway: number }

export type TurnEnd = {
  readonly code: ErrorCode | null
  readonly limit: LimitName | null
  readonly output: TurnOutput | null
  readonly ordinal: number | null
}

export type TurnState = {
  readonly turnId: string
  readonly tenant: string
  readonly version: number
  readonly head: string
  readonly chart: TurnSnapshot
  readonly opened: TurnOpened
  /** The frozen catalog by exact name. */
  readonly catalog: ReadonlyMap<string, ToolDescriptor>
  readonly openedAt: string
  readonly attempt: number
  /** Working milliseconds of the attempt as of the last event. */
  readonly worked: number
  readonly nextOrdinal: number
  /** Who appended last what only an owner may; null before that, and once the turn rests or has ended. */
  readonly driver: string | null
  /** Of this attempt, by ordinal, rising. */
  readonly calls: ReadonlyMap<number, CallState>
  /** Of this attempt, all that were recorded, those that left the transcript too. */
  readonly rounds: readonly RoundRecorded[]
  readonly contentTrust: ContentTrust
  /** Failed tries of the round that is being asked for. */
  readonly failedTries: number
  readonly asks: number
  readonly ask: Ask | null
  readonly end: TurnEnd | null
  /** Over all attempts, for the projection. */
  readonly toolsSeen: readonly string[]
  readonly outcomesSeen: readonly Outcome[]
}

/** The turn's state by name. */
export function stateName(state: TurnState): TurnStateName {
  return state.chart.value as TurnStateName
}

export function hasEnded(state: TurnState): boolean {
  return state.chart.hasTag('end')
}

export function callStateName(call: CallState): CallStateName {
  return call.chart.value
}

const OUTCOMES: ReadonlySet<string> = new Set(['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid'])

/** The outcome of a call; null while it is on its way. */
export function outcomeOf(call: CallState): Outcome | null {
  const name = callStateName(call)
  return OUTCOMES.has(name) ? (name as Outcome) : null
}

/** True until the call has an outcome that stays. */
export function isOpen(call: CallState): boolean {
  const outcome = outcomeOf(call)
  return outcome === null || outcome === 'held'
}

/** The lowest ordinal that is open: what the turn has to see to next. */
export function nextCall(state: TurnState): CallState | null {
  for (const call of state.calls.values()) if (isOpen(call)) return call
  return null
}

export function openCalls(state: TurnState): readonly CallState[] {
  return [...state.calls.values()].filter(isOpen)
}

/** The calls of one round, in the model's order. */
export function callsOfRound(state: TurnState, round: number): readonly CallState[] {
  return [...state.calls.values()].filter(call => call.round === round)
}

export function lastRound(state: TurnState): RoundRecorded | null {
  return state.rounds.at(-1) ?? null
}

/** What the tool of a call wants to know and nobody has answered yet. */
export function openInquiry({ inquiry }: CallState): CallInquiry | null {
  return inquiry !== null && inquiry.answers === null ? inquiry : null
}

/** True when the record of a call is only the short form the model was shown: no record on replay or recovery (D9). */
export function isMiss(call: CallState): boolean {
  return call.recorded !== null && call.recorded.truncated && call.recorded.blob === undefined
}
