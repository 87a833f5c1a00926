// The tables, as kysely is to know them. Times are read through `epochMs`, so their stored form is opaque here.

import { type RawBuilder, sql } from 'kysely'

/** A `timestamptz`: written as ISO 8601 text, never read as it is. */
type Instant = string

export type TurnsTable = {
  turn_id: string
  tenant: string
  runtime: string
  key: string | null
  content_digest: string
  labels: string[]
  principal_kind: 'person' | 'service' | null
  principal_issuer: string | null
  principal_id: string | null
  principal_scopes: string[] | null
  offers: string[]
  turn_key: Uint8Array
  opened_at: Instant
  wake_at: Instant | null
  owner: string | null
  parked: boolean
  lagging: boolean
  changed_hour: number
  updated_at: Instant
  version: number
  epoch: number
  published: number
  attempt: number
  format: number
  claims: number
  head: Uint8Array
  state: string
  code: string | null
  tools: string[]
  outcomes: string[]
}

export type AppendsTable = {
  turn_id: string
  version: number
  size: number
  schema_version: number
  xid: string
  position: string
  worked: number
  time: Instant
  plain: boolean
  types: string
  actor: string
  hashes: Uint8Array
  salts: Uint8Array
  data_hashes: Uint8Array
  data: string
}

export type ApprovalsTable = {
  approval_id: string
  turn_id: string
  tenant: string
  ordinal: number
  kind: 'approval' | 'clarification'
  tool: string
  arguments: string
  content_trust: 'trusted' | 'untrusted'
  acting: string | null
  approvers: string | null
  reason: string
  opened_at: Instant
  expires_at: Instant
  settled: string | null
}

export type Tables = {
  turns: TurnsTable
  appends: AppendsTable
  approvals: ApprovalsTable
  sealed: { turn_id: string; ordinal: number; box: Uint8Array }
  blobs: { turn_id: string; digest: Uint8Array; bytes: Uint8Array }
  workers: { id: string; alive_until: Instant; runtime: string | null; tools: string[] | null }
  leads: { name: string; worker: string; until: Instant }
  feed_cursors: { name: string; cursor: string }
  store: { only: boolean; id: string; clock_offset: string }
  migrations: { number: number; name: string; applied_at: Instant }
}

/** Epoch milliseconds of an instant, alike from both drivers. */
export function epochMs<T extends number | null = number>(column: string): RawBuilder<T> {
  return sql<T>`round(extract(epoch from ${sql.ref(column)}) * 1000)::float8`
}
