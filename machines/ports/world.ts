// The small ports: time, chance, secrets, logs, the host's policy. Nothing in `machines/` reaches for these by itself.

import type { Json, JsonObject } from '../json.ts'
import type { Approver, Principal } from '../principal.ts'
import type { ContentTrust, TurnView } from '../tool.ts'

/** Time that passes. Wall-clock time comes from the store. */
export type Clock = {
  /** Milliseconds, never going back, of this process only. */
  readonly monotonic: () => number
  /** Resolves after so long, or at once when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type Random = {
  /** A new UUIDv7 for a turn. */
  readonly turnId: () => string
  /** A new id for this worker start: no other one has it. Short, since every event names its worker. */
  readonly workerId: () => string
  /** So many random bytes. */
  readonly bytes: (count: number) => Uint8Array
  /** 0 ≤ n < 1, for jitter. */
  readonly fraction: () => number
}

/** Structured log lines. Never given content: ids, positions, names, sizes, codes. */
export type Log = {
  readonly info: (message: string, fields?: JsonObject) => void
  readonly warn: (message: string, fields?: JsonObject) => void
  readonly error: (message: string, fields?: JsonObject) => void
}

/** What the host's policy is shown of a call: the prepared, unredacted arguments and the descriptor's facts. */
export type PolicyCall = {
  readonly tool: string
  readonly arguments: JsonObject
  readonly ordinal: number
  readonly invocationId: string
  readonly replayPolicy: string
}

export type PolicyDecision = 'allow' | 'deny' | 'ask'
export type PolicyAnswer =
  | PolicyDecision
  | { readonly decision: PolicyDecision; readonly reason?: string; readonly approvers?: readonly Approver[] }

/** The host's policy. Never called on replay. A throw or an unknown answer counts as `deny`. */
export type Policy = (call: PolicyCall, turn: TurnView & { readonly contentTrust: ContentTrust }) => PolicyAnswer | Promise<PolicyAnswer>

/** Masks secrets in anything that is about to be recorded, published, shown or sent back to the model. */
export type Redactor = {
  /** Arguments or results: declared secret fields of the schema, known values, detectors. */
  readonly value: (value: Json, schema?: JsonObject | boolean) => { readonly value: Json; readonly changed: boolean }
  /** Free text: known values and detectors. */
  readonly text: (text: string) => { readonly text: string; readonly changed: boolean }
  /** UTF-16 units of the longest known secret: one that begins further before the end of a text than this stands in it whole. */
  readonly reach: number
}

/** Seals whole arguments under the host's key (D11); null where the host gave none. */
export type Sealer = {
  /** @param context bound into the seal: what is opened under another one does not open */
  readonly seal: (plain: Uint8Array, context: string) => Uint8Array
  /** @throws when the key or the context is another one, or the box was changed */
  readonly open: (box: Uint8Array, context: string) => Uint8Array
}

/**
 * Keeps results that are larger than a record (D9, opt-in): each before the record that names it is appended. What is kept is named
 * by its digest, so keeping it again changes nothing. A rejection means that it may go well later; what cannot be kept is recorded
 * without a blob, and what cannot be got is asked for again.
 */
export type Blobs = {
  /**
   * Resolves when the bytes are durable, with the reference under which they are found: a text of at most 512 characters.
   *
   * @param digest SHA-256 of the bytes, hexadecimal
   */
  readonly put: (turnId: string, digest: string, bytes: Uint8Array) => Promise<string>
  /** Null when it is not there. What comes back is held against the digest in the record. */
  readonly get: (reference: string) => Promise<Uint8Array | null>
}

export type { Principal }
