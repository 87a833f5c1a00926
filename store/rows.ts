// From rows to the port's shapes. The columns of each row are selected as both drivers give them back alike.

import { sql } from 'kysely'
import type { Outcome } from '../machines/ids.ts'
import type { ApprovalRow, TurnRow, TurnStateName } from '../machines/ports/rows.ts'
import type { Principal } from '../machines/principal.ts'
import { fromLabels, fromText } from './columns.ts'
import { parseJson } from '../machines/json-text.ts'
import { epochMs } from './schema.ts'

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
