// Opens and appends in memory: all or nothing, since nothing is changed before everything was checked.

import { GENESIS } from '../machines/chain.ts'
import { ToolturnError } from '../machines/errors.ts'
import type { StoredEvent } from '../machines/events.ts'
import type { ApprovalRow, Beside, Projection } from '../machines/ports/rows.ts'
import type { Append, AppendAnswer, OpenAnswer, OpenTurn } from '../machines/ports/store.ts'
import { checkAppend, checkOpen } from './door.ts'
import { frozenCopy, now, type MemoryDatabase, type MemoryTurn } from './memory-database.ts'

/**
 * Opens a stream, or finds the one that has its tenant and key.
 *
 * @throws ToolturnError `option_invalid` when the events are no stream that begins at version 1
 */
export function open(database: MemoryDatabase, request: OpenTurn): OpenAnswer {
  checkOpen(request)
  const known = findOpened(database, request)
  if (known !== undefined) return judgeKnown(known, request)
  const change = copyOf(request)
  refuseKnown(database, change.opened)
  const turn = newTurn(request, now(database))
  database.turns.set(turn.turnId, turn)
  if (turn.key !== null) database.keys.set(keyOf(turn.tenant, turn.key), turn)
  write(database, turn, change, turn.openedAt)
  if (turn.owner === null) tellWake(database, turn)
  return { answer: 'opened' }
}

/** Appends to a stream. Never `busy`: nobody else holds a row here while this runs. */
export function append(database: MemoryDatabase, request: Append): AppendAnswer {
  try {
    checkAppend(request)
    const turn = database.turns.get(request.turnId)
    if (turn === undefined) throw new ToolturnError('turn_not_found', '', { turnId: request.turnId })
    const standing = standingOf(turn, request)
    if (standing !== 'current') return { answer: standing }
    const change = copyOf(request)
    refuseKnown(database, change.opened)
    write(database, turn, change, now(database))
    turn.published = Math.max(turn.published, request.published ?? 0)
    if (request.release === true) turn.owner = null
    if (request.epoch === null) tellWake(database, turn)
    return { answer: 'accepted' }
  } catch (error) {
    return { answer: 'failed', error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** The turn of a tenant's spawn key. */
export function byKey(database: MemoryDatabase, tenant: string, key: string): MemoryTurn | undefined {
  return database.keys.get(keyOf(tenant, key))
}

const keyOf = (tenant: string, key: string) => JSON.stringify([tenant, key])

function findOpened(database: MemoryDatabase, { tenant, key, turnId }: OpenTurn): MemoryTurn | undefined {
  const keyed = key === null ? undefined : byKey(database, tenant, key)
  return keyed ?? database.turns.get(turnId)
}

function judgeKnown(known: MemoryTurn, request: OpenTurn): OpenAnswer {
  if (wasWritten(known, request.events)) return { answer: 'opened' }
  const answer = known.contentDigest === request.contentDigest ? 'existing' : 'conflict'
  return { answer, turnId: known.turnId }
}

/**
 * How the writer's belief compares with the row. The same bytes once more were accepted before: the writer lost the answer.
 * Another epoch comes before another version: who was fenced need not read on.
 */
function standingOf(turn: MemoryTurn, request: Append): 'current' | 'accepted' | 'moved' | 'fenced' {
  const { turnId, epoch, expected, head, events } = request
  if (events[0]?.tenant !== turn.tenant) throw invalid('An event is of another tenant.', turnId)
  if (wasWritten(turn, events)) return 'accepted'
  if (epoch !== null && epoch !== turn.epoch) return 'fenced'
  if (expected < turn.version) return 'moved'
  if (expected > turn.version || head !== turn.head) throw invalid(`Version ${expected} with this hash was never in the stream.`, turnId)
  return 'current'
}

function wasWritten(turn: MemoryTurn, events: readonly StoredEvent[]): boolean {
  const last = events.at(-1)
  return last !== undefined && turn.events[last.version - 1]?.hash === last.hash
}

/**
 * Everything that a write changes, copied: applying it cannot fail half-way, and aliases nothing of the writer's. What is
 * written by somebody who does not own the turn also wakes it.
 */
type Change = {
  readonly events: readonly StoredEvent[]
  readonly projection: Projection
  readonly opened: readonly ApprovalRow[]
  readonly settled: NonNullable<Beside['approvals']>['settle']
  readonly boxes: readonly (readonly [ordinal: number, box: Uint8Array])[]
  readonly dropped: readonly number[]
}

function copyOf(request: OpenTurn | Append): Change {
  const { events, projection, approvals, sealed } = request
  const unowned = 'epoch' in request ? request.epoch === null : request.owner === null
  return {
    events: events.map(frozenCopy),
    projection: frozenCopy(unowned ? { ...projection, wakeAt: 'now' } : projection),
    opened: approvals?.open.map(frozenCopy) ?? [],
    settled: approvals?.settle ?? [],
    boxes: sealed?.put.map(({ ordinal, box }) => [ordinal, new Uint8Array(box)] as const) ?? [],
    dropped: sealed?.drop ?? [],
  }
}

/** An approval is opened once. */
function refuseKnown(database: MemoryDatabase, opened: readonly ApprovalRow[]): void {
  const seen = new Set<string>()
  for (const { approvalId, turnId } of opened) {
    if (seen.has(approvalId) || database.approvals.has(approvalId)) throw invalid('An approval of this id is there already.', turnId)
    seen.add(approvalId)
  }
}

function newTurn(request: OpenTurn, openedAt: number): MemoryTurn {
  const { turnId, tenant, runtime, key, contentDigest, owner } = request
  return {
    turnId,
    tenant,
    runtime,
    key,
    contentDigest,
    owner,
    labels: frozenCopy(request.labels),
    principal: frozenCopy(request.principal),
    offers: frozenCopy(request.offers),
    turnKey: new Uint8Array(request.turnKey),
    openedAt,
    updatedAt: openedAt,
    state: 'thinking',
    code: null,
    attempt: 1,
    tools: [],
    outcomes: [],
    version: 0,
    head: GENESIS,
    format: 0,
    epoch: owner === null ? 0 : 1,
    wakeAt: null,
    claims: 0,
    parked: false,
    unlisted: 0,
    published: 0,
    events: [],
    sealed: new Map(),
  }
}

function write(database: MemoryDatabase, turn: MemoryTurn, change: Change, time: number): void {
  for (const event of change.events) {
    turn.events.push(event)
    turn.version = event.version
    turn.head = event.hash
    turn.format = Math.max(turn.format, event.schemaVersion)
    database.feed.push({ turn, version: event.version })
  }
  turn.updatedAt = time
  turn.claims = 0
  show(turn, change.projection)
  for (const row of change.opened) database.approvals.set(row.approvalId, row)
  for (const { approvalId, settled } of change.settled) settle(database, approvalId, settled)
  for (const [ordinal, box] of change.boxes) turn.sealed.set(ordinal, box)
  for (const ordinal of change.dropped) turn.sealed.delete(ordinal)
}

function show(turn: MemoryTurn, projection: Projection): void {
  turn.state = projection.state
  turn.code = projection.code
  turn.attempt = projection.attempt
  turn.tools = projection.tools
  turn.outcomes = projection.outcomes
  turn.wakeAt = projection.wakeAt === 'now' ? dueBy(turn, turn.updatedAt) : projection.wakeAt
}

/** The first settlement stands. */
function settle(database: MemoryDatabase, approvalId: string, settled: NonNullable<ApprovalRow['settled']>): void {
  const row = database.approvals.get(approvalId)
  if (row !== undefined && row.settled === null) database.approvals.set(approvalId, Object.freeze({ ...row, settled }))
}

/** What was due before keeps its place among the due. */
function dueBy({ wakeAt }: MemoryTurn, time: number): number {
  return Math.min(wakeAt ?? time, time)
}

/** Tells the listeners, each in a microtask of its own: a listener's fault is not the writer's. */
function tellWake(database: MemoryDatabase, turn: MemoryTurn): void {
  for (const callback of database.wakeCallbacks) queueMicrotask(() => callback(turn.turnId))
}

function invalid(specifics: string, turnId: string): ToolturnError {
  return new ToolturnError('option_invalid', specifics, { turnId })
}
