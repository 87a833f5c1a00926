// Identity: what names a turn, a call and an approval, and how those names are derived (D1).

import { createHash } from 'node:crypto'

/** The outcome words of the contract. Each is a state of the call chart. */
export type Outcome = 'executed' | 'refused' | 'held' | 'suppressed-repeat' | 'ended-turn' | 'invalid'

export type InvocationKey = {
  readonly tenant: string
  readonly turnId: string
  /** Position of the call in its turn, from 1, rising across attempts. */
  readonly ordinal: number
  readonly tool: string
}

/**
 * The name of one call's execution: the idempotency key that the tool is handed, the same on every re-run (D1).
 *
 * base64url(SHA-256("toolturn:invocation:v1" NUL tenant NUL turnId NUL ordinal NUL tool)). The attempt is not part of it.
 */
export function invocationId(key: InvocationKey): string {
  const parts = ['toolturn:invocation:v1', key.tenant, key.turnId, String(key.ordinal), key.tool]
  return createHash('sha256').update(parts.join('\0'), 'utf8').digest('base64url')
}

/** The id under which a call stands in the transcript that the model is sent (B3). Provider ids are correlation only. */
export function hostCallId(ordinal: number): string {
  return `call_${ordinal}`
}

/** The id of the hold that a call raises the n-th time: bound to turn and ordinal, so no answer can reach another call (C5). */
export function approvalId(turnId: string, ordinal: number, hold: number): string {
  return `${turnId}.${ordinal}.${hold}`
}

/** Reads an approval id back; null when the text is none. */
export function parseApprovalId(text: string): { turnId: string; ordinal: number; hold: number } | null {
  const match = /^([A-Za-z0-9_-]{1,64})\.([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})$/.exec(text)
  if (match === null) return null
  return { turnId: match[1] as string, ordinal: Number(match[2]), hold: Number(match[3]) }
}

/** Under what a result of a turn is found in the blob stores of this project: the same in each, so it may move between them. */
export function blobReference(turnId: string, digest: string): string {
  return `${turnId}/${digest}`
}

/** Reads such a reference back; null when the text is none. What comes out may stand in a path. */
export function parseBlobReference(text: string): { turnId: string; digest: string } | null {
  const match = /^([0-9a-f-]{36})\/([0-9a-f]{64})$/.exec(text)
  return match === null ? null : { turnId: match[1] as string, digest: match[2] as string }
}

/** Tenants and turn ids are one subject token of the bus, checked at the door. */
export const TOKEN = /^[A-Za-z0-9_-]{1,64}$/
