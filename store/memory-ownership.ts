// Leases, claims and leaders in memory. Leases only save work; the epoch is what keeps the log right.
// A test that moves the store's clock ends no lease: workers count theirs on clocks that nobody moves.

import { ToolturnError } from '../machines/errors.ts'
import type { Claimed, ClaimRequest, HeartbeatAnswer, Serves } from '../machines/ports/store.ts'
import { now, ownerLives, workerLives, type MemoryDatabase, type MemoryTurn, type MemoryWorker } from './memory-database.ts'
import { CLAIMS_BEFORE_PARKING, CLAIMS_BEFORE_SUSPICION, UNSERVED_MS } from './patience.ts'

/** An owned turn that so many heartbeats in a row did not list is released. */
const UNLISTED_BEFORE_RELEASE = 2

export function enlist(database: MemoryDatabase, worker: string, leaseMs: number, serves?: Serves): void {
  if (database.workers.has(worker)) throw new ToolturnError('option_invalid', `worker ${worker} was enlisted before`)
  database.workers.set(worker, { aliveUntil: database.epochMs() + leaseMs, serves: serves ?? null })
}

export function heartbeat(
  database: MemoryDatabase,
  worker: string,
  leaseMs: number,
  held: readonly { readonly turnId: string; readonly version: number; readonly epoch: number }[],
): HeartbeatAnswer {
  const moved = held.filter(claim => hasMoved(database.turns.get(claim.turnId), claim)).map(claim => claim.turnId)
  const known = database.workers.get(worker)
  if (known === undefined || !workerLives(database, worker)) return { alive: false, moved }
  known.aliveUntil = database.epochMs() + leaseMs
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
  const known = database.workers.get(worker)
  if (known !== undefined) known.aliveUntil = Math.min(known.aliveUntil, database.epochMs())
}

/** Takes what is due, the longest due first, of what is suspect one at a time. A worker whose lease ended gets nothing. */
export function claim(database: MemoryDatabase, request: ClaimRequest): readonly Claimed[] {
  const { worker, count, turnId } = request
  if (!workerLives(database, worker)) return []
  const free = dueTurns(database, request).slice(0, count)
  const due = turnId === undefined ? withOneSuspect(free) : free
  for (const turn of due) take(turn, worker)
  const taken = due.filter(turn => !turn.parked)
  const claimed = taken.map(turn => ({ turnId: turn.turnId, tenant: turn.tenant, epoch: turn.epoch, version: turn.version }))
  return taken.length === due.length ? claimed : [...claimed, ...claim(database, { ...request, count: count - claimed.length })]
}

function isSuspect({ claims }: MemoryTurn): boolean {
  return claims >= CLAIMS_BEFORE_SUSPICION
}

/** Of what is suspect the one that was claimed least often. */
function withOneSuspect(free: readonly MemoryTurn[]): readonly MemoryTurn[] {
  const suspects = free.filter(isSuspect).sort((a, b) => a.claims - b.claims || (a.turnId < b.turnId ? -1 : 1))
  return [...free.filter(turn => !isSuspect(turn)), ...suspects.slice(0, 1)]
}

function hasSuspect(database: MemoryDatabase, worker: string): boolean {
  return [...database.turns.values()].some(turn => turn.owner === worker && isSuspect(turn) && !turn.parked && isDue(database, turn))
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
    if (!isDue(database, turn)) continue
    if (turnId === undefined && (turn.parked || (isSuspect(turn) && hasSuspect(database, request.worker)))) continue
    if (turn.runtime !== request.runtime || turn.format > request.format || ownerLives(database, turn)) continue
    if (turn.offers.every(name => tools.has(name)) || isUnserved(database, turn)) due.push(turn)
  }
  return due.sort((a, b) => Number(a.wakeAt) - Number(b.wakeAt) || (a.turnId < b.turnId ? -1 : 1))
}

/** It has waited long enough, and nobody who has all it offers was alive lately. */
function isUnserved(database: MemoryDatabase, { wakeAt, runtime, offers }: MemoryTurn): boolean {
  const waited = Number(wakeAt) <= now(database) - UNSERVED_MS
  const lately = database.epochMs() - UNSERVED_MS
  const able = ({ aliveUntil, serves }: MemoryWorker) =>
    aliveUntil > lately && (serves === null || (serves.runtime === runtime && offers.every(name => serves.tools.includes(name))))
  return waited && ![...database.workers.values()].some(able)
}

export function release(database: MemoryDatabase, turnId: string, epoch: number, version: number, wakeAt: 'now' | number | null): boolean {
  const turn = database.turns.get(turnId)
  if (turn === undefined || turn.epoch !== epoch || turn.version !== version) return false
  turn.owner = null
  turn.claims = 0
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
