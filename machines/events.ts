// The closed vocabulary of facts. A type is an edge label of the chart, a column of the row, and the last tokens of a subject.

import type { Static, TSchema } from 'typebox'
import * as call from './events/call.ts'
import * as people from './events/people.ts'
import * as round from './events/round.ts'
import * as turn from './events/turn.ts'

const payloads = {
  'turn.opened': turn.TurnOpened,
  'attempt.started': turn.AttemptStarted,
  'round.requested': round.RoundRequested,
  'round.recorded': round.RoundRecorded,
  'round.failed': round.RoundFailed,
  'call.admitted': call.CallAdmitted,
  'call.invalid': call.CallInvalid,
  'call.refused': call.CallRefused,
  'call.held': call.CallHeld,
  'call.suppressed': call.CallSuppressed,
  'call.ended': call.CallEnded,
  'call.dispatched': call.CallDispatched,
  'call.failed': call.CallFailed,
  'call.recorded': call.CallRecorded,
  'call.inquired': call.CallInquired,
  'call.settled': call.CallSettled,
  'call.late': call.CallLate,
  'approval.granted': people.ApprovalGranted,
  'approval.denied': people.ApprovalDenied,
  'approval.expired': people.ApprovalExpired,
  'approval.turned-away': people.ApprovalTurnedAway,
  'clarification.asked': people.ClarificationAsked,
  'clarification.answered': people.ClarificationAnswered,
  'clarification.expired': people.ClarificationExpired,
  'clarification.turned-away': people.ClarificationTurnedAway,
  'turn.cancelling': turn.TurnCancelling,
  'turn.completed': turn.TurnCompleted,
  'turn.refused': turn.TurnRefused,
  'turn.exhausted': turn.TurnExhausted,
  'turn.cancelled': turn.TurnCancelled,
  'turn.failed': turn.TurnFailed,
} as const satisfies Record<string, TSchema>

export type EventType = keyof typeof payloads
export type EventData<T extends EventType = EventType> = Static<(typeof payloads)[T]>

/** The JSON Schema of every payload, as it ships with the package. */
export const EVENT_SCHEMAS: { readonly [type in EventType]: TSchema } = payloads

export const EVENT_TYPES = Object.keys(payloads) as readonly EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(payloads, text)
}

/** Schema version that this release writes, of every payload. A newer one in a stream is `schema_newer`. */
export const SCHEMA_VERSION = 1

/** A fact before it is in a stream. */
export type Fact = { [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType]
export type FactOf<T extends EventType> = Extract<Fact, { type: T }>

/** Who caused an event: a worker, or an authenticated party. */
export type Actor =
  | { readonly kind: 'worker'; readonly id: string }
  | { readonly kind: 'person' | 'service'; readonly issuer: string; readonly id: string }

/** What stands around every payload in a stream. */
export type Envelope = {
  readonly turnId: string
  /** Position in the stream, from 1, without gaps. */
  readonly version: number
  readonly schemaVersion: number
  /** ISO 8601, UTC, milliseconds, by the clock of the store. */
  readonly time: string
  readonly tenant: string
  readonly actor: Actor
  /** Working milliseconds of the attempt so far, measured monotonically by its owners. */
  readonly worked: number
  /** Hash of the version before, hexadecimal; 64 zeros at version 1. */
  readonly previousHash: string
  readonly hash: string
}

export type Event = { [T in EventType]: Envelope & { readonly type: T; readonly data: EventData<T> } }[EventType]
export type EventOf<T extends EventType> = Extract<Event, { type: T }>

/** An event as it lies in the store: the payload not yet upcast, with the salt of its digest; both null once erased. */
export type StoredEvent = Envelope & {
  readonly type: string
  readonly data: unknown
  /** 16 random bytes, hexadecimal. */
  readonly salt: string | null
  /** SHA-256 over salt and canonical payload, hexadecimal: what stays when the payload is erased. */
  readonly dataHash: string
}
