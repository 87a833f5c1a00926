// Append, then act. The expected version orders writers, the epoch fences owners; on a conflict what is new is folded, facts are
// appended again, and decisions are made again.

import { Buffer } from 'node:buffer'
import { besideOf } from '../beside.ts'
import { pending } from '../effects.ts'
import { ToolturnError } from '../errors.ts'
import type { Event, EventOf, Fact } from '../events.ts'
import { foldOn } from '../fold.ts'
import { readStream } from '../record.ts'
import type { AppendAnswer } from '../ports/store.ts'
import { project } from '../projection.ts'
import { stateName, type TurnState } from '../state.ts'
import { isoTime } from '../time.ts'
import { ActorStopped, workedSoFar, type Actor } from './actor.ts'
import { asEvent, put, startDraft, type Draft } from './draft.ts'

/** Makes the events of an append from the state that it will stand on. Called again when the stream has moved. */
export type Compose = (draft: Composer) => Promise<void> | void

/** A draft that is being composed. */
export type Composer = {
  readonly state: () => TurnState
  readonly isEmpty: () => boolean
  readonly put: (...facts: readonly Fact[]) => void
}

/** Thrown when the store refuses an append and only this one. */
export class AppendRefused extends Error {
  constructor(cause: Error) {
    super('the store refused the append', { cause })
  }
}

/** How often an append is composed anew before the writer gives up: each time somebody else got through. */
const REBASES = 50
/** How often a locked row is waited for on top of what the store itself waits. */
const BUSY_TRIES = 20
const BUSY_WAIT_MS = 100

/**
 * Composes events and appends them, once. Resolves when they are durable and folded.
 *
 * @returns the types that were appended; empty when there was nothing to append
 * @throws ActorStopped when another owner holds the turn or the lease is over; nothing was written then
 * @throws AppendRefused when the store refuses the append
 */
export function commit(actor: Actor, compose: Compose): Promise<readonly Event[]> {
  return inTurn(actor, async () => {
    for (let tries = 0, busy = 0; tries < REBASES; ) {
      const draft = await composeDraft(actor, compose)
      if (draft.events.length === 0) return []
      if (!actor.control.mayAct()) throw new ActorStopped('lease-lost')
      const sentAt = actor.ports.clock.monotonic()
      const answer = await append(actor, draft)
      switch (answer.answer) {
        case 'accepted':
          return accept(actor, draft, sentAt)
        case 'moved':
          await readOn(actor)
          tries += 1
          break
        case 'fenced':
          throw new ActorStopped('fenced')
        case 'busy':
          busy += 1
          if (busy > BUSY_TRIES) throw new ToolturnError('store_busy', '', { turnId: actor.turnId })
          await actor.ports.clock.sleep(BUSY_WAIT_MS)
          break
        case 'failed':
          throw new AppendRefused(answer.error)
      }
    }
    throw new ToolturnError('version_conflict', '', { turnId: actor.turnId })
  })
}

/** Reads and folds what others appended. A cancel among it reaches whatever runs. */
export function refresh(actor: Actor): Promise<void> {
  return inTurn(actor, () => readOn(actor))
}

/** One after another: the state never changes under a draft. A failure is its caller's and does not stop the next one. */
function inTurn<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
  const result = actor.queue.then(work)
  actor.queue = result.catch(() => undefined)
  return result
}

async function readOn(actor: Actor): Promise<void> {
  const stored = await actor.ports.store.read(actor.turnId, actor.state.version)
  if (stored.length === 0) return
  // Another worker appended, so the turn is another one's: what is decided here would be decided about its calls.
  if (stored.some(({ actor: by }) => by.kind === 'worker' && by.id !== actor.control.worker)) throw new ActorStopped('fenced')
  // Whoever appended them publishes nothing: it does not own the turn.
  actor.ports.outbox.committed(stored, actor.state.opened.labels)
  actor.control.onCommitted(stored)
  const events = readStream({ version: actor.state.version, hash: actor.state.head }, stored)
  for (const event of events) if (event.type === 'approval.granted' && event.data.edited !== null) actor.wholes.delete(event.data.ordinal)
  setState(actor, foldOn(actor.state, events))
}

const CANCELLED = new Error('the turn is being cancelled')

function setState(actor: Actor, state: TurnState): void {
  if (state.attempt !== actor.state.attempt) {
    actor.worked = 0
    actor.countedFrom = actor.ports.clock.monotonic()
  }
  actor.state = state
  if (stateName(state) === 'cancelling') actor.interrupt.abort(CANCELLED)
}

async function composeDraft(actor: Actor, compose: Compose): Promise<Draft> {
  const { store, random } = actor.ports
  let draft = startDraft(actor.state)
  const stamp = {
    turnId: actor.turnId,
    tenant: actor.state.tenant,
    time: isoTime(store.time()),
    actor: { kind: 'worker' as const, id: actor.control.worker },
    worked: workedSoFar(actor),
  }
  const salt = () => Buffer.from(random.bytes(16)).toString('hex')
  await compose({
    state: () => draft.state,
    isEmpty: () => draft.events.length === 0,
    put: (...facts) => {
      draft = put(draft, facts, stamp, salt)
    },
  })
  return draft
}

function append(actor: Actor, draft: Draft): Promise<AppendAnswer> {
  const { ports, epoch, turnId, wholes } = actor
  const { base, state } = draft
  return ports.store.append({
    turnId,
    expected: base.version,
    head: base.head,
    epoch,
    events: draft.events,
    projection: project(state),
    published: ports.outbox.published(turnId),
    release: rests(actor, state),
    ...besideOf(base, draft.events.map(asEvent), state, wholes, ports.sealer),
  })
}

/** True when nothing is left to be done here until somebody else acts: the turn is let go with the append itself. */
function rests(actor: Actor, state: TurnState): boolean {
  const { kind } = pending(state)
  const waits = kind === 'none' || kind === 'await-approval' || kind === 'await-answer'
  return waits && actor.running.size === 0
}

function accept(actor: Actor, draft: Draft, sentAt: number): readonly Event[] {
  actor.released = rests(actor, draft.state)
  setState(actor, draft.state)
  for (const event of draft.events.map(asEvent)) if (event.type === 'call.dispatched') startable(actor, event, sentAt)
  actor.ports.outbox.committed(draft.events, actor.state.opened.labels)
  actor.control.onCommitted(draft.events)
  return draft.events.map(asEvent)
}

/** An intent that this process committed itself: its tool may start. Any other one is in doubt. */
function startable(actor: Actor, event: EventOf<'call.dispatched'>, sentAt: number): void {
  const { ordinal, dispatch } = event.data
  actor.running.set(ordinal, { ordinal, dispatch, sentAt })
}
