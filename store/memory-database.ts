// What a memory database holds. Several handles share one, as several processes share a server.

import { randomUUID } from 'node:crypto'
import type { StoredEvent } from '../machines/events.ts'
import { canonicalJson, deepFreeze } from '../machines/json.ts'
import type { Outcome } from '../machines/ids.ts'
import type { ApprovalRow, TurnStateName } from '../machines/ports/rows.ts'
import type { Serves } from '../machines/ports/store.ts'
import type { Principal } from '../machines/principal.ts'
import { parseJson } from '../machines/json-text.ts'

/** A turn's row, its stream and what is kept beside it. Changed in place, and only by the functions of this store. */
export type MemoryTurn = {
  readonly turnId: string
  readonly tenant: string
  readonly runtime: string
  readonly key: string | null
  readonly contentDigest: string
  readonly labels: { readonly [name: string]: string }
  readonly principal: Principal | null
  readonly offers: readonly string[]
  readonly turnKey: Uint8Array
  readonly openedAt: number
  updatedAt: number
  state: TurnStateName
  code: string | null
  attempt: number
  tools: readonly string[]
  outcomes: readonly Outcome[]
  version: number
  head: string
  /** Newest schema version in the stream. */
  format: number
  owner: string | null
  epoch: number
  wakeAt: number | null
  /** Claims since the last append. */
  claims: number
  parked: boolean
  /** Heartbeats of the owner in a row that did not list this turn. */
  unlisted: number
  published: number
  /** By version - 1. Null where `damage` took one out. */
  readonly events: (StoredEvent | null)[]
  readonly sealed: Map<number, Uint8Array>
}

/** Null of a worker that did not say what it serves: it counts as having everything. */
export type MemoryWorker = { aliveUntil: number; readonly serves: Serves | null }

export type MemoryDatabase = {
  /** Epoch milliseconds of the world outside. Leases go by it; the store's clock is this and the offset. */
  readonly epochMs: () => number
  offset: number
  /** Names this database in feed cursors, as the system identifier names a cluster. */
  readonly instance: string
  readonly turns: Map<string, MemoryTurn>
  /** Turn by tenant and spawn key. */
  readonly keys: Map<string, MemoryTurn>
  readonly approvals: Map<string, ApprovalRow>
  /** Results larger than a record, by turn and digest. Also of a turn that is yet to be opened. */
  readonly blobs: Map<string, Map<string, Uint8Array>>
  readonly workers: Map<string, MemoryWorker>
  readonly leads: Map<string, { readonly worker: string; readonly until: number }>
  /** Every event of all streams, in the order of commits. */
  readonly feed: { readonly turn: MemoryTurn; readonly version: number }[]
  readonly cursors: Map<string, string>
  readonly wakeCallbacks: Set<(turnId: string) => void>
}

/**
 * An empty database. Deterministic when both options are given: then it reads no clock and draws no chance of its own.
 *
 * @param options.epochMs wall clock in epoch milliseconds
 * @param options.instance name of the database in feed cursors, without a colon
 */
export function memoryDatabase(options: { epochMs?: () => number; instance?: string } = {}): MemoryDatabase {
  return {
    epochMs: options.epochMs ?? Date.now,
    offset: 0,
    instance: options.instance ?? randomUUID(),
    turns: new Map(),
    keys: new Map(),
    approvals: new Map(),
    blobs: new Map(),
    workers: new Map(),
    leads: new Map(),
    feed: [],
    cursors: new Map(),
    wakeCallbacks: new Set(),
  }
}

/** The clock of the store, in epoch milliseconds: what deadlines go by, and what tests move. */
export function now(database: MemoryDatabase): number {
  return database.epochMs() + database.offset
}

/** True while somebody with a running lease owns the turn. */
export function ownerLives(database: MemoryDatabase, turn: MemoryTurn): boolean {
  return turn.owner !== null && workerLives(database, turn.owner)
}

export function workerLives(database: MemoryDatabase, worker: string): boolean {
  const { aliveUntil } = database.workers.get(worker) ?? { aliveUntil: -Infinity }
  return aliveUntil > database.epochMs()
}

const ENDS: ReadonlySet<TurnStateName> = new Set(['completed', 'refused', 'exhausted', 'cancelled', 'failed'])

export function hasEnded(turn: MemoryTurn): boolean {
  return ENDS.has(turn.state)
}

/** A frozen copy with canonical key order, as a server would give it back: shares nothing with what the writer may change. */
export function frozenCopy<T>(value: T): T {
  return deepFreeze(parseJson(canonicalJson(value)) as T)
}
