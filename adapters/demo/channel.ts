// What the demo and its worker say to each other over the IPC channel. The embedded store takes one process at a time, so the
// worker is asked for everything.

import type { Event } from '../../machines/events.ts'
import type { ReplayResult, TurnResult, VerifyResult } from '../../machines/runtime/api.ts'
import type { WhereFlags } from '../cli/where.ts'
import type { LedgerRow } from './ledger.ts'

/** How a worker is to begin. */
export type Begin = {
  readonly where: WhereFlags
  /** File of the ledger. */
  readonly ledger: string
  /** The worker that this one follows: seen to be dead, so its lease is ended at once. */
  readonly dead: string | null
  /** A turn to follow from behind a version. */
  readonly follow: { readonly turnId: string; readonly after: number } | null
}

/** What a worker can be asked, and what it answers. */
export type Asked = {
  readonly begin: { readonly given: Begin; readonly answer: null }
  readonly spawn: { readonly given: null; readonly answer: string }
  readonly approve: { readonly given: string; readonly answer: null }
  readonly result: { readonly given: string; readonly answer: TurnResult }
  readonly replay: { readonly given: string; readonly answer: ReplayResult }
  readonly verify: { readonly given: string; readonly answer: VerifyResult }
  readonly ledger: { readonly given: null; readonly answer: readonly LedgerRow[] }
  readonly close: { readonly given: null; readonly answer: null }
}
export type Question = keyof Asked

export type ToWorker = { [Q in Question]: { readonly id: number; readonly ask: Q; readonly given: Asked[Q]['given'] } }[Question]
export type FromWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'ran'; readonly tool: string }
  /** The transfer has begun and has not written. */
  | { readonly kind: 'in-the-middle' }
