// The turns that a worker drives: started while there are places, queued meanwhile, let go of when they end or rest.

import { ActorStopped, createActor, type Actor, type Control, type Progress } from '../actor/actor.ts'
import { refresh } from '../actor/commit.ts'
import { drive, type DriveEnd } from '../actor/drive.ts'
import { errorName, ToolturnError } from '../errors.ts'
import type { StoredEvent } from '../events.ts'
import type { Ports } from '../ports.ts'
import { callStateName, openCalls, type TurnState } from '../state.ts'
import { mayAct, type Session } from './session.ts'

export type SupervisorOptions = {
  /** Claims only turns that were opened under this name. */
  readonly runtime: string
  /** Turns driven at once. */
  readonly concurrency: number
  /** What this worker has of what turns offer (see `servedAs`): it claims no others. */
  readonly serves: readonly string[]
  readonly onCommitted: (events: readonly StoredEvent[]) => void
  readonly onProgress: (progress: Progress) => void
}

/** What became of a drive, for those in this process who wait for it. */
export type Driven = { readonly end: DriveEnd; readonly state: TurnState }

/** A turn that is ours and waits for a place. */
type Queued = { readonly state: TurnState; readonly epoch: number; readonly turnKey: Uint8Array; readonly session: Session }

type Driving = { readonly actor: Actor; readonly session: Session; readonly done: Promise<Driven> }

export type Supervision = {
  readonly ports: Ports
  readonly options: SupervisorOptions
  readonly turns: Map<string, Driving>
  readonly queue: Queued[]
  /** Those who wait to open a turn. */
  readonly waiting: (() => void)[]
  session: Session
  draining: boolean
  /** Aborted to cut the present rest of the claim loop short. */
  wake: AbortController
  /** Claims that are under way, until what they took is being driven. */
  readonly claims: Set<Promise<unknown>>
  /** Those who want to know which turns are driven from now on. */
  readonly watchers: Set<(turnId: string) => void>
  /** True when the last claim took all it could: there may be more that is due. */
  mayBeMore: boolean
  readonly closed: AbortController
}

const QUEUED_FOR_EACH_PLACE = 4

/** Resolves when one more turn may be opened. */
export async function room(supervision: Supervision, signal?: AbortSignal): Promise<void> {
  while (supervision.queue.length >= supervision.options.concurrency * QUEUED_FOR_EACH_PLACE) {
    if (supervision.draining) throw new ToolturnError('runtime_closed', '')
    signal?.throwIfAborted()
    await new Promise<void>(resolve => supervision.waiting.push(resolve))
  }
}

/** Starts what is queued while there are places. What was opened under a lease that is over is the next owner's. */
export function startQueued(supervision: Supervision): void {
  const { queue, turns, options, waiting } = supervision
  while (queue.length > 0 && turns.size < options.concurrency && !supervision.draining) {
    const next = queue.shift()
    if (next !== undefined && next.session === supervision.session) startDrive(supervision, next.state, next.epoch, next.turnKey)
  }
  for (const resume of waiting.splice(0)) resume()
}

/** Somebody appended to a turn: an actor of ours reads on, and the claim loop looks. */
export function nudge(supervision: Supervision, turnId: string): void {
  // Always both: an actor that has just let go of the turn will not act on what it reads.
  supervision.wake.abort()
  const driving = supervision.turns.get(turnId)
  if (driving === undefined) return
  refresh(driving.actor).catch((error: unknown) => {
    // The turn is another one's: its drive hears of it at its next append.
    if (error instanceof ActorStopped) return
    supervision.ports.log.warn('a turn could not be read on', { turnId, error: errorName(error) })
  })
}

export function startDrive(supervision: Supervision, state: TurnState, epoch: number, turnKey: Uint8Array): void {
  const { ports, session, turns } = supervision
  const actor = createActor({ state, epoch, turnKey, ports, control: controlOf(supervision, session) })
  ports.log.info('took a turn', { turnId: actor.turnId, epoch, version: state.version })
  for (const watcher of supervision.watchers) watcher(actor.turnId)
  const done = driveToEnd(supervision, actor)
  turns.set(actor.turnId, { actor, session, done })
  // Whoever waits for a drive hears of its failure; the log has it in any case.
  done.catch(() => undefined)
}

async function driveToEnd(supervision: Supervision, actor: Actor): Promise<Driven> {
  const { ports, turns } = supervision
  const { turnId } = actor
  try {
    const end = await drive(actor)
    if (end !== 'ended' && end !== 'rests') sayLetGo(ports, actor, end)
    else ports.log.info(end === 'ended' ? 'a turn ended' : 'a turn rests', { turnId, version: actor.state.version })
    return { end, state: actor.state }
  } catch (error) {
    ports.log.error('a drive failed', { turnId, error: errorName(error) })
    throw error
  } finally {
    if (turns.get(turnId)?.actor === actor) turns.delete(turnId)
    startQueued(supervision)
    if (supervision.mayBeMore) supervision.wake.abort()
  }
}

/** A doubt that this process leaves behind is named (D2). */
function sayLetGo(ports: Ports, actor: Actor, end: DriveEnd): void {
  const { state } = actor
  const started = openCalls(state).filter(call => callStateName(call) === 'dispatched')
  const doubts = started.filter(call => state.catalog.get(call.item.name)?.replayPolicy === 'at-most-once').map(call => call.ordinal)
  ports.log.warn('let go of a turn', { turnId: actor.turnId, why: end, version: actor.state.version, doubts })
}

function controlOf(supervision: Supervision, session: Session): Control {
  const { ports, options } = supervision
  return {
    worker: session.worker,
    mayAct: () => mayAct(session, ports),
    draining: () => supervision.draining,
    signal: session.over.signal,
    onCommitted: options.onCommitted,
    onProgress: options.onProgress,
  }
}
