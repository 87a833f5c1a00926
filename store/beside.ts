// What a write changes beside the row of the turn: its events always; approvals and sealed boxes in batches that hold some.
// Each part is a data-modifying CTE over `u`, the turns that the statement won, numbered as their jobs are.

import { canonicalJson } from '../machines/json.ts'
import type { ApprovalRow, Beside } from '../machines/ports/rows.ts'
import type { StoredEvent } from '../machines/events.ts'
import { toHex, toInstant, toText } from './columns.ts'
import type { Parameter } from './database.ts'
import { APPEND, insertSql, runsOf } from './event-rows.ts'
import { arraysOf, unnest, type Column } from './unnest.ts'

/** A row of a job: which job of the batch it belongs to, from 1. */
type Part<Row> = { readonly job: number; readonly row: Row }
type RowOf<Rows extends (...given: never) => readonly unknown[]> = ReturnType<Rows>[number]

const jobColumn = { name: 'job', type: 'int4', of: ({ job }: Part<unknown>) => job } as const

const EVENTS: readonly Column<Part<RowOf<typeof runsOf>>>[] = [
  jobColumn,
  ...APPEND.map(({ name, type, of }) => ({ name, type, of: ({ row }: Part<RowOf<typeof runsOf>>) => of(row) })),
]

const OPENED: readonly Column<Part<ApprovalRow>>[] = [
  jobColumn,
  { name: 'approval_id', type: 'text', of: ({ row }) => row.approvalId },
  { name: 'tenant', type: 'text', of: ({ row }) => row.tenant },
  { name: 'ordinal', type: 'int4', of: ({ row }) => row.ordinal },
  { name: 'kind', type: 'text', of: ({ row }) => row.kind },
  { name: 'tool', type: 'text', of: ({ row }) => toText(row.tool) },
  { name: 'arguments', type: 'text', of: ({ row }) => canonicalJson(row.arguments) },
  { name: 'content_trust', type: 'text', of: ({ row }) => row.contentTrust },
  { name: 'acting', type: 'text', of: ({ row }) => (row.acting === null ? null : canonicalJson(row.acting)) },
  { name: 'approvers', type: 'text', of: ({ row }) => (row.approvers === null ? null : canonicalJson(row.approvers)) },
  { name: 'reason', type: 'text', of: ({ row }) => toText(row.reason) },
  { name: 'opened_at', type: 'text', of: ({ row }) => toInstant(row.openedAt) },
  { name: 'expires_at', type: 'text', of: ({ row }) => toInstant(row.expiresAt) },
  { name: 'settled', type: 'text', of: ({ row }) => row.settled },
]

type Settlement = NonNullable<Beside['approvals']>['settle'][number]

const SETTLED: readonly Column<Part<Settlement>>[] = [
  jobColumn,
  { name: 'approval_id', type: 'text', of: ({ row }) => row.approvalId },
  { name: 'settled', type: 'text', of: ({ row }) => row.settled },
]

const PUT: readonly Column<Part<{ readonly ordinal: number; readonly box: Uint8Array }>>[] = [
  jobColumn,
  { name: 'ordinal', type: 'int4', of: ({ row }) => row.ordinal },
  { name: 'box', type: 'text', of: ({ row }) => toHex(row.box) },
]

const DROPPED: readonly Column<Part<number>>[] = [jobColumn, { name: 'ordinal', type: 'int4', of: ({ row }) => row }]

/** CTEs that insert the events of the won turns, and what is beside them when `full`. Parameters are counted from `first`. */
export function besideSql(schema: string, first: number, full: boolean): string {
  const events = `e as (${insertSql(schema, unnest('r', EVENTS, first))})`
  return full ? `${events}, ${fullSql(schema, first + EVENTS.length)}` : events
}

function fullSql(schema: string, first: number): string {
  const settled = first + OPENED.length
  const put = settled + SETTLED.length
  const dropped = put + PUT.length
  return `ao as (
  insert into "${schema}".approvals (approval_id, turn_id, tenant, ordinal, kind, tool, arguments, content_trust, acting,
    approvers, reason, opened_at, expires_at, settled)
  select o.approval_id, u.turn_id, o.tenant, o.ordinal, o.kind, o.tool, o.arguments::json, o.content_trust, o.acting::json,
    o.approvers::json, o.reason, o.opened_at::timestamptz, o.expires_at::timestamptz, o.settled
  from u join ${unnest('o', OPENED, first)} on o.job = u.n),
as_ as (
  update "${schema}".approvals a set settled = s.settled
  from u join ${unnest('s', SETTLED, settled)} on s.job = u.n
  where a.approval_id = s.approval_id and a.turn_id = u.turn_id and a.settled is null),
sp as (
  insert into "${schema}".sealed (turn_id, ordinal, box)
  select u.turn_id, p.ordinal, decode(p.box, 'hex') from u join ${unnest('p', PUT, put)} on p.job = u.n
  on conflict (turn_id, ordinal) do update set box = excluded.box),
sd as (
  delete from "${schema}".sealed d using u join ${unnest('x', DROPPED, dropped)} on x.job = u.n
  where d.turn_id = u.turn_id and d.ordinal = x.ordinal)`
}

/** The parameters of `besideSql`, for jobs in their order. */
export function besideParameters(jobs: readonly WithBeside[], full: boolean): Parameter[] {
  const events = partsOf(jobs, job => runsOf(job.events))
  if (!full) return arraysOf(EVENTS, events)
  const settled = (job: WithBeside) => new Map(job.approvals?.settle.map(each => [each.approvalId, each.settled]))
  return [
    ...arraysOf(EVENTS, events),
    ...arraysOf(
      OPENED,
      partsOf(jobs, job => openedOf(job, settled(job))),
    ),
    ...arraysOf(
      SETTLED,
      partsOf(jobs, job => job.approvals?.settle ?? []),
    ),
    ...arraysOf(PUT, partsOf(jobs, putOf)),
    ...arraysOf(
      DROPPED,
      partsOf(jobs, job => job.sealed?.drop ?? []),
    ),
  ]
}

/** True where the events are not all. */
export function hasBeside({ approvals, sealed }: Beside): boolean {
  return [approvals?.open, approvals?.settle, sealed?.put, sealed?.drop].some(rows => rows !== undefined && rows.length > 0)
}

export type WithBeside = Beside & { readonly events: readonly StoredEvent[] }

function partsOf<Row>(jobs: readonly WithBeside[], rowsOf: (job: WithBeside) => readonly Row[]): Part<Row>[] {
  return jobs.flatMap((job, index) => rowsOf(job).map(row => ({ job: index + 1, row })))
}

/** The parts of a statement do not see each other's rows: what is opened and settled in one append is opened as settled. */
function openedOf(job: WithBeside, settled: ReadonlyMap<string, Settlement['settled']>): ApprovalRow[] {
  return (job.approvals?.open ?? []).map(row => ({ ...row, settled: row.settled ?? settled.get(row.approvalId) ?? null }))
}

function putOf(job: WithBeside): { readonly ordinal: number; readonly box: Uint8Array }[] {
  const dropped = new Set(job.sealed?.drop)
  return (job.sealed?.put ?? []).filter(({ ordinal }) => !dropped.has(ordinal))
}
