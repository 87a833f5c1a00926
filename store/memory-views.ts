// What people and resolvers read of a memory database: rows, lists, the inbox, one stream.

import { ToolturnError } from '../machines/errors.ts'
import type { StoredEvent } from '../machines/events.ts'
import type { ApprovalRow, ListFilter, StoreHealth, TurnRow, TurnSecrets } from '../machines/ports/rows.ts'
import { byKey } from './memory-append.ts'
import { hasEnded, ownerLives, type MemoryDatabase, type MemoryTurn } from './memory-database.ts'

export function read(database: MemoryDatabase, turnId: string, after = 0, limit = Infinity): readonly StoredEvent[] {
  const events = database.turns.get(turnId)?.events ?? []
  return events.filter((event, index) => event !== null && index >= after).slice(0, limit) as StoredEvent[]
}

export function turn(database: MemoryDatabase, turnId: string): TurnRow | null {
  const found = database.turns.get(turnId)
  return found === undefined ? null : rowOf(found)
}

export function turnByKey(database: MemoryDatabase, tenant: string, key: string): TurnRow | null {
  const found = byKey(database, tenant, key)
  return found === undefined ? null : rowOf(found)
}

export function secrets(database: MemoryDatabase, turnId: string): TurnSecrets | null {
  const found = database.turns.get(turnId)
  return found === undefined ? null : { turnKey: new Uint8Array(found.turnKey) }
}

export function sealed(database: MemoryDatabase, turnId: string, ordinal: number): Uint8Array | null {
  const box = database.turns.get(turnId)?.sealed.get(ordinal)
  return box === undefined ? null : new Uint8Array(box)
}

export function approval(database: MemoryDatabase, approvalId: string): ApprovalRow | null {
  return database.approvals.get(approvalId) ?? null
}

export function list(database: MemoryDatabase, filter: ListFilter): { turns: readonly TurnRow[]; next: string | null } {
  const matching = [...database.turns.values()].filter(found => matches(found, filter))
  const { page, next } = pageOf(matching, filter, found => ({ at: found.openedAt, id: found.turnId }))
  return { turns: page.map(rowOf), next }
}

export function approvals(
  database: MemoryDatabase,
  filter: ListFilter & { readonly settled?: boolean },
): { approvals: readonly ApprovalRow[]; next: string | null } {
  const matching = [...database.approvals.values()].filter(row => {
    const of = database.turns.get(row.turnId)
    return (row.settled !== null) === (filter.settled ?? false) && of !== undefined && matches(of, filter)
  })
  const { page, next } = pageOf(matching, filter, row => ({ at: row.openedAt, id: row.approvalId }))
  return { approvals: page, next }
}

export function health(database: MemoryDatabase): StoreHealth {
  const turns = [...database.turns.values()]
  const open = turns.filter(found => !hasEnded(found))
  return {
    kind: 'memory',
    server: 'memory',
    migrated: true,
    schemaVersion: 1,
    turns: {
      open: open.length,
      parked: turns.filter(found => found.parked).length,
      unowned: open.filter(found => !ownerLives(database, found)).length,
    },
    backlog: turns.reduce((sum, found) => sum + Math.max(0, found.version - found.published), 0),
    horizon: [],
  }
}

function rowOf(found: MemoryTurn): TurnRow {
  const { turnId, tenant, runtime, state, code, attempt, version, head, owner, epoch, wakeAt, parked, published } = found
  const { labels, principal, key, tools, outcomes, openedAt, updatedAt } = found
  return {
    turnId,
    tenant,
    runtime,
    state,
    code,
    attempt,
    version,
    head,
    owner,
    epoch,
    wakeAt,
    parked,
    published,
    labels,
    principal,
    key,
    tools,
    outcomes,
    openedAt,
    updatedAt,
  }
}

function matches(found: MemoryTurn, filter: ListFilter): boolean {
  const { tenant, state, labels, principal, tool, outcome, since, until, parked } = filter
  if (tenant !== undefined && found.tenant !== tenant) return false
  if (state !== undefined && !state.includes(found.state)) return false
  if (labels !== undefined && !Object.entries(labels).every(([name, value]) => found.labels[name] === value)) return false
  if (principal !== undefined && !isPrincipal(found, principal)) return false
  if (tool !== undefined && !found.tools.includes(tool)) return false
  if (outcome !== undefined && !found.outcomes.includes(outcome)) return false
  if (since !== undefined && found.openedAt < since) return false
  if (until !== undefined && found.openedAt >= until) return false
  return parked === undefined || found.parked === parked
}

function isPrincipal(found: MemoryTurn, wanted: NonNullable<ListFilter['principal']>): boolean {
  if (found.principal === null || found.principal.id !== wanted.id) return false
  return wanted.issuer === undefined || found.principal.issuer === wanted.issuer
}

type Place = { readonly at: number; readonly id: string }

/** Newest first, from behind the cursor. The cursor is the place of the last row that was given. */
function pageOf<T>(rows: T[], { limit, cursor }: ListFilter, placeOf: (row: T) => Place): { page: T[]; next: string | null } {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new ToolturnError('option_invalid', 'limit is 1 to 1000', { limit })
  const behind = cursor === undefined ? null : placeOfCursor(cursor)
  const rest = rows.filter(row => behind === null || older(placeOf(row), behind))
  rest.sort((a, b) => (older(placeOf(a), placeOf(b)) ? 1 : -1))
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return { page, next: last === undefined || rest.length <= limit ? null : cursorOf(placeOf(last)) }
}

function older(a: Place, b: Place): boolean {
  return a.at < b.at || (a.at === b.at && a.id < b.id)
}

const cursorOf = ({ at, id }: Place) => `${at}:${id}`

function placeOfCursor(cursor: string): Place {
  const match = /^(\d{1,16}):(.+)$/.exec(cursor)
  if (match === null) throw new ToolturnError('option_invalid', 'this is no cursor of a list')
  return { at: Number(match[1]), id: match[2] as string }
}
