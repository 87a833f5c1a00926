// The feed of a memory database, what the bus has of it, and what is taken out of streams.

import { ToolturnError } from '../machines/errors.ts'
import type { StoredEvent } from '../machines/events.ts'
import type { Head } from '../machines/ports/rows.ts'
import type { FeedCursor, FeedPage } from '../machines/ports/store.ts'
import { blobsOnlyIn } from './blobs.ts'
import { hasEnded, now, ownerLives, type MemoryDatabase, type MemoryTurn } from './memory-database.ts'
import { read } from './memory-views.ts'

export function feed(database: MemoryDatabase, cursor: FeedCursor | null, limit: number): FeedPage {
  const start = cursor === null ? 0 : positionOf(database, cursor)
  const entries = database.feed.slice(start, start + limit)
  const events = entries.map(({ turn, version }) => turn.events[version - 1]).filter(event => event != null)
  return { events, cursor: cursorAt(database, start + entries.length) }
}

export function feedEnd(database: MemoryDatabase): FeedCursor {
  return cursorAt(database, database.feed.length)
}

export function saveCursor(database: MemoryDatabase, name: string, cursor: FeedCursor): void {
  database.cursors.set(name, cursor)
}

export function cursor(database: MemoryDatabase, name: string): FeedCursor | null {
  return database.cursors.get(name) ?? null
}

export function heads(database: MemoryDatabase, since: number, after: string | null, limit: number): readonly Head[] {
  return [...database.turns.values()]
    .filter(turn => turn.updatedAt >= since && (after === null || turn.turnId > after))
    .sort((a, b) => (a.turnId < b.turnId ? -1 : 1))
    .slice(0, limit)
    .map(({ turnId, tenant, version }) => ({ turnId, tenant, version }))
}

export function unpublished(
  database: MemoryDatabase,
  lagMs: number,
  limit: number,
): readonly { readonly turnId: string; readonly published: number; readonly version: number }[] {
  const before = now(database) - lagMs
  return [...database.turns.values()]
    .filter(turn => turn.published < turn.version && turn.updatedAt <= before)
    .filter(turn => hasEnded(turn) || !ownerLives(database, turn))
    .sort((a, b) => a.updatedAt - b.updatedAt || (a.turnId < b.turnId ? -1 : 1))
    .slice(0, limit)
    .map(({ turnId, published, version }) => ({ turnId, published, version }))
}

export function acknowledge(database: MemoryDatabase, published: readonly { readonly turnId: string; readonly version: number }[]): void {
  for (const { turnId, version } of published) {
    const turn = database.turns.get(turnId)
    if (turn !== undefined) turn.published = Math.max(turn.published, Math.min(version, turn.version))
  }
}

/**
 * The payload and its salt go, and the results that only they keep whole. What the inbox showed of the turn and what was sealed goes
 * with all of it.
 *
 * @returns how many events lost their payload now; those erased before are not counted again
 */
export function erase(database: MemoryDatabase, turnId: string, versions?: readonly number[]): number {
  const turn = database.turns.get(turnId)
  if (turn === undefined) return 0
  const { events } = turn
  if (versions === undefined) eraseBeside(database, turn)
  else for (const digest of blobsOnlyIn(read(database, turnId), versions)) database.blobs.get(turnId)?.delete(digest)
  const chosen = versions === undefined ? null : new Set(versions)
  let erased = 0
  for (const [index, event] of events.entries()) {
    if (event === null || event.salt === null || (chosen !== null && !chosen.has(event.version))) continue
    events[index] = Object.freeze<StoredEvent>({ ...event, data: null, salt: null })
    erased += 1
  }
  return erased
}

function eraseBeside(database: MemoryDatabase, turn: MemoryTurn): void {
  turn.sealed.clear()
  database.blobs.delete(turn.turnId)
  for (const row of database.approvals.values()) {
    if (row.turnId !== turn.turnId) continue
    database.approvals.set(row.approvalId, Object.freeze({ ...row, arguments: null, reason: '' }))
  }
}

export function damage(database: MemoryDatabase, turnId: string, version: number): void {
  const events = database.turns.get(turnId)?.events
  if (events !== undefined && version >= 1 && version <= events.length) events[version - 1] = null
}

const cursorAt = (database: MemoryDatabase, position: number): FeedCursor => `${database.instance}:${position}`

function positionOf(database: MemoryDatabase, cursor: FeedCursor): number {
  const match = /^([^:]+):(\d{1,15})$/.exec(cursor)
  if (match === null) throw new ToolturnError('option_invalid', 'This is no cursor of a feed.')
  const [, instance, position] = match
  if (instance !== database.instance) throw new ToolturnError('store_replaced', '', { cursor: instance, store: database.instance })
  return Number(position)
}
