// From rows to the port's shapes. The columns of each row are selected as both drivers give them back alike.

import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { GENESIS } from '../machines/chain.ts'
import type { StoredEvent } from '../machines/events.ts'
import type { Outcome } from '../machines/ids.ts'
import type { ApprovalRow, TurnRow, TurnStateName } from '../machines/ports/rows.ts'
import type { Principal } from '../machines/principal.ts'
import { fromActor, fromLabels, fromText } from './columns.ts'
import { parseJson } from '../machines/json-text.ts'
import { epochMs } from './schema.ts'

export type EventRow = {
  turn_id: string
  version: number
  schema_version: number
  worked: number
  time: string
  type: string
  tenant: string
  actor: string
  previous_hash: string | null
  hash: string
  salt: string | null
  data_hash: string
  data: string | null
}

/** What is selected of an event, for raw statements; `e` is the table, `t` that of its turn. */
export const eventColumns = (schema: string) => `e.turn_id::text, e.version, e.schema_version, e.worked,
  to_char(e.time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time, e.type, t.tenant, e.actor,
  encode(e.hash, 'hex') as hash, encode(e.salt, 'hex') as salt, encode(e.data_hash, 'hex') as data_hash, e.data::text as data,
  (select encode(p.hash, 'hex') from "${schema}".events p
    where p.turn_id = e.turn_id and p.version = e.version - 1) as previous_hash`

/** Behind a hole the hash before is not known, and the genesis that stands in for it breaks the chain, as the hole does. */
export function toEvent(row: EventRow): StoredEvent {
  return {
    turnId: row.turn_id,
    version: row.version,
    type: row.type,
    schemaVersion: row.schema_version,
    time: row.time,
    tenant: row.tenant,
    actor: fromActor(row.actor),
    worked: row.worked,
    data: row.data === null ? null : parseJson(row.data),
    salt: row.salt,
    dataHash: row.data_hash === '' ? digest(row) : row.data_hash,
    previousHash: row.previous_hash ?? GENESIS,
    hash: row.hash,
  }
}

/** The stored text is the canonical one, so it is hashed as it lies there. */
function digest({ salt, data }: EventRow): string {
  return createHash('sha256')
    .update(salt ?? '', 'hex')
    .update(data ?? '')
    .digest('hex')
}

/** What is selected of a turn's row, for kysely. */
export const TURN_COLUMNS = [
  sql<string>`turns.turn_id::text`.as('turn_id'),
  'turns.tenant',
  'turns.runtime',
  'turns.state',
  'turns.code',
  'turns.attempt',
  'turns.version',
  'turns.owner',
  'turns.epoch',
  'turns.parked',
  'turns.published',
  'turns.labels',
  'turns.principal_kind',
  'turns.principal_issuer',
  'turns.principal_id',
  'turns.principal_scopes',
  'turns.key',
  'turns.tools',
  'turns.outcomes',
  sql<string>`encode(turns.head, 'hex')`.as('head'),
  epochMs<number | null>('turns.wake_at').as('wake_at'),
  epochMs('turns.opened_at').as('opened_at'),
  epochMs('turns.updated_at').as('updated_at'),
] as const

export type TurnColumns = {
  turn_id: string
  tenant: string
  runtime: string
  state: string
  code: string | null
  attempt: number
  version: number
  owner: string | null
  epoch: number
  parked: boolean
  published: number
  labels: string[]
  principal_kind: 'person' | 'service' | null
  principal_issuer: string | null
  principal_id: string | null
  principal_scopes: string[] | null
  key: string | null
  tools: string[]
  outcomes: string[]
  head: string
  wake_at: number | null
  opened_at: number
  updated_at: number
}

export function toTurn(row: TurnColumns): TurnRow {
  return {
    turnId: row.turn_id,
    tenant: row.tenant,
    runtime: fromText(row.runtime),
    state: row.state as TurnStateName,
    code: row.code,
    attempt: row.attempt,
    version: row.version,
    head: row.head,
    owner: row.owner === null ? null : fromText(row.owner),
    epoch: row.epoch,
    wakeAt: row.wake_at,
    parked: row.parked,
    published: row.published,
    labels: fromLabels(row.labels),
    principal: toPrincipal(row),
    key: row.key === null ? null : fromText(row.key),
    tools: row.tools.map(fromText),
    outcomes: row.outcomes as Outcome[],
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
  }
}

function toPrincipal(row: TurnColumns): Principal | null {
  if (row.principal_kind === null) return null
  return {
    kind: row.principal_kind,
    issuer: fromText(row.principal_issuer ?? ''),
    id: fromText(row.principal_id ?? ''),
    scopes: (row.principal_scopes ?? []).map(fromText),
  }
}

const asText = (column: string) => sql<string | null>`${sql.ref(column)}::text`

/** What is selected of the inbox, for kysely. */
export const APPROVAL_COLUMNS = [
  'approvals.approval_id',
  'approvals.tenant',
  'approvals.ordinal',
  'approvals.kind',
  'approvals.tool',
  'approvals.content_trust',
  'approvals.reason',
  'approvals.settled',
  sql<string>`approvals.turn_id::text`.as('turn_id'),
  asText('approvals.arguments').as('arguments'),
  asText('approvals.acting').as('acting'),
  asText('approvals.approvers').as('approvers'),
  epochMs('approvals.opened_at').as('opened_at'),
  epochMs('approvals.expires_at').as('expires_at'),
] as const

export type ApprovalColumns = {
  approval_id: string
  turn_id: string
  tenant: string
  ordinal: number
  kind: 'approval' | 'clarification'
  tool: string
  content_trust: 'trusted' | 'untrusted'
  reason: string
  settled: string | null
  arguments: string | null
  acting: string | null
  approvers: string | null
  opened_at: number
  expires_at: number
}

export function toApproval(row: ApprovalColumns): ApprovalRow {
  return {
    approvalId: row.approval_id,
    turnId: row.turn_id,
    tenant: row.tenant,
    ordinal: row.ordinal,
    kind: row.kind,
    tool: fromText(row.tool),
    arguments: parseJson(row.arguments ?? 'null'),
    contentTrust: row.content_trust,
    acting: JSON.parse(row.acting ?? 'null') as ApprovalRow['acting'],
    approvers: JSON.parse(row.approvers ?? 'null') as ApprovalRow['approvers'],
    reason: fromText(row.reason),
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
    settled: row.settled as ApprovalRow['settled'],
  }
}
