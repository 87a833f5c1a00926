// Leases, claims and leaders in memory. Leases only save work; the epoch is what keeps the log right.
// A test that moves the store's clock ends no lease: workers count theirs on clocks that nobody moves.

import { ToolturnError } from '../machines/errors.ts'
import type { Claimed, ClaimRequest, HeartbeatAnswer } from '../machines/ports/store.ts'
import { now, ownerLives, workerLives, type MemoryDatabase, type MemoryTurn } from './memory-database.ts'

/** A turn that was claimed so often without an append is parked: it takes its workers down, or they can do nothing for it. */
const CLAIMS_BEFORE_PARKING = 5
/** An owned turn that so many heartbeats in a row did not list is released. */
const UNLISTED_BEFORE_RELEASE = 2

export function enlist(database: MemoryDatabase, worker: string, leaseMs: number): void {
  if (database.workers.has(worker)) throw new ToolturnError('option_invalid', `worker ${worker} was enlisted before`)
  database.workers.set(worker, database.epochMs() + leaseMs)
}

export function heartbeat(
  database: MemoryDatabase,
  worker: string,
  leaseMs: number,
  held: readonly { readonly turnId: string; readonly version: number; readonly epoch: number }[],
): HeartbeatAnswer {
  const moved = held.filter(claim => hasMoved(database.turns.get(claim.turnId), claim)).map(claim => claim.turnId)
  if (!workerLives(database, worker)) return { alive: false, moved }
  database.workers.set(worker, database.epochMs() + leaseMs)
  releaseUnlisted(database, worker, new Map(held.map(claim => [claim.turnId, claim.epoch])))
  return { alive: true, moved }
}

function hasMoved(turn: MemoryTurn | undefined, claim: { readonly version: number; readonly epoch: number }): boolean {
  return turn === undefined || turn.version !== claim.version || turn.epoch !== claim.epoch
}

/** Looks at due turns only: another one could be taken by nobody, released or not. */
function releaseUnlisted(database: MemoryDatabase, worker: string, listed: ReadonlyMap<string, number>): void {
  for (const turn of database.turns.values()) {
    if (turn.owner !== worker) continue
    const forgotten = isDue(database, turn) && listed.get(turn.turnId) !== turn.epoch
    turn.unlisted = forgotten ? turn.unlisted + 1 : 0
    if (turn.unlisted >= UNLISTED_BEFORE_RELEASE) turn.owner = null
  }
}

function isDue(database: MemoryDatabase, { wakeAt }: MemoryTurn): boolean {
  return wakeAt !== null && wakeAt <= now(database)
}

export function retire(database: MemoryDatabase, worker: string): void {
  if (database.workers.has(worker)) database.workers.set(worker, database.epochMs())
}

/** Takes what is due, the longest due first. A worker whose lease ended gets nothing. */
export function claim(database: MemoryDatabase, request: ClaimRequest): readonly Claimed[] {
  if (!workerLives(database, request.worker)) return []
  const claimed: Claimed[] = []
  for (const turn of dueTurns(database, request)) {
    if (claimed.length >= request.count) break
    take(turn, request.worker)
    if (turn.parked && request.turnId !== undefined) take(turn, request.worker)
    if (turn.parked) continue
    claimed.push({ turnId: turn.turnId, tenant: turn.tenant, epoch: turn.epoch, version: turn.version })
  }
  return claimed
}

/**
 * Gives the turn to the worker, or parks it; taken once more, it comes out of the park. The epoch rises either way, so what its
 * last owner still does is fenced.
 */
function take(turn: MemoryTurn, worker: string): void {
  if (turn.parked) turn.claims = 0
  turn.parked = turn.claims >= CLAIMS_BEFORE_PARKING
  turn.owner = turn.parked ? null : worker
  turn.epoch += 1
  if (!turn.parked) turn.claims += 1
  turn.unlisted = 0
}

function dueTurns(database: MemoryDatabase, request: ClaimRequest): MemoryTurn[] {
  const { turnId } = request
  const named = turnId === undefined ? undefined : database.turns.get(turnId)
  const candidates = turnId === undefined ? database.turns.values() : named === undefined ? [] : [named]
  const tools = new Set(request.tools)
  const due: MemoryTurn[] = []
  for (const turn of candidates) {
    if (!isDue(database, turn) || (turn.parked && turnId === undefined)) continue
    if (turn.runtime !== request.runtime || turn.format > request.format || ownerLives(database, turn)) continue
    if (turn.offers.every(name => tools.has(name))) due.push(turn)
  }
  return due.sort((a, b) => Number(a.wakeAt) - Number(b.wakeAt) || (a.turnId < b.turnId ? -1 : 1))
}

export function release(database: MemoryDatabase, turnId: string, epoch: number, version: number, wakeAt: 'now' | number | null): boolean {
  const turn = database.turns.get(turnId)
  if (turn === undefined || turn.epoch !== epoch || turn.version !== version) return false
  turn.owner = null
  turn.wakeAt = wakeAt === 'now' ? now(database) : wakeAt
  return true
}

export function lead(database: MemoryDatabase, name: string, worker: string, leaseMs: number): boolean {
  const holder = database.leads.get(name)
  const time = database.epochMs()
  if (holder !== undefined && holder.worker !== worker && holder.until > time) return false
  database.leads.set(name, { worker, until: time + leaseMs })
  return true
}
