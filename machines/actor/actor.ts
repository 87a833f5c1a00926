// An actor: one turn being driven by one owner. What it holds in memory, and nothing that the log does not also say,
// but for arguments that may not be written down.

import { lostTo } from '../driver.ts'
import type { ToolturnError } from '../errors.ts'
import type { StoredEvent } from '../events.ts'
import type { JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import type { TurnState } from '../state.ts'
import type { Tool } from '../tool.ts'
import { onAbort } from './signals.ts'

/** Deltas of a round that is being received; unrecorded. */
export type Progress = {
  readonly tenant: string
  readonly turnId: string
  readonly round: number
  readonly kind: 'text' | 'thinking' | 'call'
  readonly text: string
}

/** What the supervisor tells its actors, and hears from them. */
export type Control = {
  /** The id of this worker start. */
  readonly worker: string
  /** False once the lease has ended by the worker's own monotonic clock: nothing is dispatched or appended any more. */
  readonly mayAct: () => boolean
  /** True while the worker drains: no new round, no new dispatch. */
  readonly draining: () => boolean
  /** Aborted when the lease was lost, or when a drain has waited long enough: what still runs is let go. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  /** Events that were just committed, for listeners of this process. */
  readonly onCommitted: (events: readonly StoredEvent[]) => void
}

/** A dispatch that this process committed and has not seen the end of. `sentAt`: monotonic, before its append was sent. */
export type Running = { readonly ordinal: number; readonly dispatch: number; readonly sentAt: number }

export type Actor = {
  readonly turnId: string
  readonly epoch: number
  readonly turnKey: Uint8Array
  readonly ports: Ports
  readonly control: Control
  state: TurnState
  /** Whole prepared arguments of masked calls that this process admitted, but of those that a person edited: their box has the edit. */
  readonly wholes: Map<number, JsonObject>
  /** Dispatches that may be started or are under way here, by ordinal. Any other dispatched call is in doubt. */
  readonly running: Map<number, Running>
  /** The tool of each call whose intent is on its way: what was judged is what runs. */
  readonly judged: Map<number, Tool>
  /** Ordinals of calls whose record is none to this owner, and that it has not yet run again (D9). */
  readonly lost: Set<number>
  /** Aborted when the turn is being cancelled, and when the actor stops: reaches the running tool and the ask (G4). */
  readonly interrupt: AbortController
  /** Aborted when this actor stops driving, for whatever reason: what still runs is let go. */
  readonly stopped: AbortController
  /** Working milliseconds up to `countedFrom`, and the monotonic time from which more are counted. */
  worked: number
  countedFrom: number
  /** Appends and refreshes of this turn go one after another. */
  queue: Promise<unknown>
  /** True once the turn was let go, in the same statement as the last append. */
  released: boolean
}

export function createActor(given: {
  readonly state: TurnState
  readonly epoch: number
  readonly turnKey: Uint8Array
  readonly ports: Ports
  readonly control: Control
}): Actor {
  const actor: Actor = {
    turnId: given.state.turnId,
    ...given,
    wholes: new Map(),
    running: new Map(),
    judged: new Map(),
    lost: new Set(lostTo(given.control.worker, given.epoch, given.state).map(call => call.ordinal)),
    interrupt: new AbortController(),
    stopped: new AbortController(),
    worked: given.state.worked,
    countedFrom: given.ports.clock.monotonic(),
    queue: Promise.resolve(),
    released: false,
  }
  onAbort(given.control.signal, () => stopActor(actor), actor.stopped.signal)
  return actor
}

/** Lets go of whatever runs for this actor. */
export function stopActor(actor: Actor): void {
  actor.interrupt.abort(STOPPED)
  actor.stopped.abort(STOPPED)
}

const STOPPED = new Error('the worker lets go of the turn')

/** Working milliseconds of the attempt so far, this owner's time included. */
export function workedSoFar(actor: Actor): number {
  return Math.round(actor.worked + actor.ports.clock.monotonic() - actor.countedFrom)
}

/** Why an actor stopped without having come to rest. */
export type StopReason = 'fenced' | 'lease-lost' | 'drained' | 'record-failed'

/** Control flow of the loop; users never see it. */
export class ActorStopped extends Error {
  readonly reason: StopReason
  readonly error: ToolturnError | null

  constructor(reason: StopReason, error: ToolturnError | null = null) {
    super(`the actor stopped: ${reason}`)
    this.reason = reason
    this.error = error
  }
}
