// The shapes of rows beside the streams, as the store port gives and takes them.

import type { Outcome } from '../ids.ts'
import type { Principal } from '../principal.ts'
import type { ContentTrust } from '../tool.ts'

/** Words of a turn's state as rows and people's filters know them; the states of the turn chart. */
export type TurnStateName =
  | 'thinking'
  | 'admitting'
  | 'working'
  | 'holding'
  | 'asking'
  | 'cancelling'
  | 'completed'
  | 'refused'
  | 'exhausted'
  | 'cancelled'
  | 'failed'

/** What the row of a turn shows of its stream: written with every append, believed by lists and claims, never by a fold. */
export type Projection = {
  readonly state: TurnStateName
  /** Error code of a failed turn, else null. */
  readonly code: string | null
  readonly attempt: number
  /** Names of the tools that were called so far, and the outcomes so far; each once, sorted. For filters. */
  readonly tools: readonly string[]
  readonly outcomes: readonly Outcome[]
  /**
   * When a worker is to look at the turn: `now` (work is to be done), a time in epoch milliseconds (a deadline while nobody
   * works), or null (an end; nothing to do).
   */
  readonly wakeAt: 'now' | number | null
}

/** A hold or a clarification as the inbox shows it. Redacted; the whole arguments are sealed. */
export type ApprovalRow = {
  /** Approval id; of a clarification `<turnId>.<ordinal>.0`. */
  readonly approvalId: string
  readonly turnId: string
  readonly tenant: string
  readonly ordinal: number
  readonly kind: 'approval' | 'clarification'
  readonly tool: string
  /** Redacted arguments, as in the event; with reason `inquiry` `{ arguments, forms }`, where `forms` are to be answered. */
  readonly arguments: unknown
  readonly contentTrust: ContentTrust
  /** The acting person, where there is one. */
  readonly acting: { readonly issuer: string; readonly id: string } | null
  readonly approvers: readonly { readonly issuer: string; readonly id: string }[] | null
  readonly reason: string
  /** Epoch milliseconds. */
  readonly openedAt: number
  readonly expiresAt: number
  /** Null while it is open. `closed`: the turn ended or was retried before anybody decided. */
  readonly settled: 'granted' | 'denied' | 'expired' | 'answered' | 'closed' | null
}

/** Rows beside the stream that change in the same statement as the events. */
export type Beside = {
  readonly approvals?: {
    readonly open: readonly ApprovalRow[]
    readonly settle: readonly { readonly approvalId: string; readonly settled: NonNullable<ApprovalRow['settled']> }[]
  }
  /** Sealed arguments (D11): opaque bytes, put when a call begins and taken away when it is settled. */
  readonly sealed?: {
    readonly put: readonly { readonly ordinal: number; readonly box: Uint8Array }[]
    readonly drop: readonly number[]
  }
}

/** The row of a turn. Times are epoch milliseconds by the store's clock. */
export type TurnRow = {
  readonly turnId: string
  readonly tenant: string
  readonly runtime: string
  readonly state: TurnStateName
  readonly code: string | null
  readonly attempt: number
  readonly version: number
  readonly head: string
  readonly owner: string | null
  readonly epoch: number
  readonly wakeAt: number | null
  readonly parked: boolean
  readonly published: number
  readonly labels: { readonly [name: string]: string }
  readonly principal: Principal | null
  readonly key: string | null
  readonly tools: readonly string[]
  readonly outcomes: readonly Outcome[]
  readonly openedAt: number
  readonly updatedAt: number
}

/** What a driver or a resolver needs of the row beyond what people may see. */
export type TurnSecrets = { readonly turnKey: Uint8Array }

export type ListFilter = {
  readonly tenant?: string
  readonly state?: readonly TurnStateName[]
  readonly labels?: { readonly [name: string]: string }
  /** Subject of the principal, perhaps with its issuer. */
  readonly principal?: { readonly id: string; readonly issuer?: string }
  readonly tool?: string
  readonly outcome?: Outcome
  /** Epoch milliseconds: `since ≤ opened < until`. */
  readonly since?: number
  readonly until?: number
  readonly parked?: boolean
  /** At most so many rows, 1 … 1000. */
  readonly limit: number
  /** Opaque; from the answer before. */
  readonly cursor?: string
}

/** The end of a stream, for those who compare what they have seen with what there is. */
export type Head = { readonly turnId: string; readonly tenant: string; readonly version: number }

/** What `doctor` shows. */
export type StoreHealth = {
  readonly kind: 'postgres' | 'embedded' | 'memory'
  readonly server: string
  readonly migrated: boolean
  readonly schemaVersion: number
  readonly turns: { readonly open: number; readonly parked: number; readonly unowned: number }
  /** Versions that are committed and not acknowledged by the bus, over all turns. */
  readonly backlog: number
  /** Transactions of the cluster that hold the feed's horizon: who, where, since when (epoch ms). */
  readonly horizon: readonly { readonly pid: number; readonly database: string; readonly since: number }[]
}
