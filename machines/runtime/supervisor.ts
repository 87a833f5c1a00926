// The supervisor: claims what is due, renews the lease, drains. Leases only save work; the epoch keeps the log right.

import { errorName } from '../errors.ts'
import { SCHEMA_VERSION } from '../events.ts'
import { fold } from '../fold.ts'
import { readStream } from '../record.ts'
import type { Ports } from '../ports.ts'
import type { Claimed, Serves } from '../ports/store.ts'
import type { TurnState } from '../state.ts'
import { BEAT_MS, beat, enlist, mayAct } from './session.ts'
import { nudge, room, startDrive, startQueued, type Driven, type Supervision, type SupervisorOptions } from './supervision.ts'

export type Supervisor = {
  /** The id of the present lease. */
  readonly worker: () => string
  /** Resolves when one more turn may be opened here: while `concurrency × 4` are queued, opening waits. */
  readonly room: (signal?: AbortSignal) => Promise<void>
  /** Drives a turn that was opened with this worker as its owner, as soon as there is a place. */
  readonly adopt: (state: TurnState, epoch: number, turnKey: Uint8Array) => void
  /** Somebody appended to a turn: an actor of ours reads on, or it is claimed. */
  readonly nudge: (turnId: string) => void
  /** The drive of a turn that is under way here; null where there is none. */
  readonly driving: (turnId: string) => Promise<Driven> | null
  /** Claims and drives what is due, or one turn, also when parked, until it ends or rests. */
  readonly recover: (turnId?: string) => Promise<readonly string[]>
  /** Stops claiming, waits for what runs at most so long, then lets go of it. */
  readonly close: (graceMs: number) => Promise<void>
}

/** How long a worker with nothing to do rests before it looks again. Wake-ups cut it short. */
const POLL_MS = 500
const RETRY_MS = 1_000

/** Starts to claim and to drive. */
export async function supervise(ports: Ports, options: SupervisorOptions): Promise<Supervisor> {
  const session = await enlist(ports, servedBy(options))
  const supervision: Supervision = {
    ports,
    options,
    turns: new Map(),
    queue: [],
    waiting: [],
    session,
    draining: false,
    claims: new Set(),
    watchers: new Set(),
    mayBeMore: false,
    wake: new AbortController(),
    closed: new AbortController(),
  }
  const unsubscribe = ports.store.onWake(turnId => nudge(supervision, turnId))
  const loops = [claimLoop(supervision), beatLoop(supervision)]
  return {
    worker: () => supervision.session.worker,
    room: signal => room(supervision, signal),
    adopt: (state, epoch, turnKey) => {
      supervision.queue.push({ state, epoch, turnKey, session: supervision.session })
      startQueued(supervision)
    },
    nudge: turnId => nudge(supervision, turnId),
    driving: turnId => supervision.turns.get(turnId)?.done ?? null,
    recover: turnId => recover(supervision, turnId),
    close: async graceMs => {
      unsubscribe()
      await close(supervision, graceMs)
      await Promise.all(loops)
    },
  }
}

function servedBy({ runtime, serves }: SupervisorOptions): Serves {
  return { runtime, tools: serves }
}

async function claimLoop(supervision: Supervision): Promise<void> {
  const { ports, closed } = supervision
  while (!closed.signal.aborted) {
    supervision.wake = new AbortController()
    const claimed = await claim(supervision).catch((error: unknown) => {
      ports.log.warn('claiming failed', { error: errorName(error) })
      return 0
    })
    if (claimed === 0) await ports.clock.sleep(POLL_MS, AbortSignal.any([supervision.wake.signal, closed.signal]))
  }
}

/** @returns how many turns were taken */
async function claim(supervision: Supervision, turnId?: string): Promise<number> {
  const claiming = claimAndTake(supervision, turnId)
  supervision.claims.add(claiming)
  return claiming.finally(() => supervision.claims.delete(claiming))
}

async function claimAndTake(supervision: Supervision, turnId?: string): Promise<number> {
  const { ports, options, session, turns } = supervision
  const places = turnId === undefined ? options.concurrency - turns.size - supervision.queue.length : 1
  if (supervision.draining || !mayAct(session, ports)) return 0
  supervision.mayBeMore = places <= 0
  if (places <= 0) return 0
  const claims = await ports.store.claim({
    worker: session.worker,
    count: places,
    ...servedBy(options),
    format: SCHEMA_VERSION,
    ...(turnId === undefined ? {} : { turnId }),
  })
  supervision.mayBeMore = claims.length === places
  await Promise.all(claims.map(claimed => take(supervision, claimed)))
  return claims.length
}

/** A turn that cannot be folded here is left alone: nothing is appended to it, and it is parked after some claims. */
async function take(supervision: Supervision, { turnId, epoch }: Claimed): Promise<void> {
  const { store, log } = supervision.ports
  try {
    const [events, secrets] = await Promise.all([store.read(turnId), store.secrets(turnId)])
    if (secrets === null) return
    startDrive(supervision, fold(readStream(null, events)), epoch, secrets.turnKey)
  } catch (error) {
    log.error('a claimed turn cannot be driven here', { turnId, error: errorName(error) })
  }
}

async function beatLoop(supervision: Supervision): Promise<void> {
  const { ports, closed } = supervision
  while (!closed.signal.aborted) {
    await ports.clock.sleep(BEAT_MS, closed.signal)
    if (closed.signal.aborted) return
    await beatOnce(supervision).catch((error: unknown) => ports.log.warn('a heartbeat failed', { error: errorName(error) }))
    if (!mayAct(supervision.session, ports)) await comeBack(supervision)
  }
}

async function beatOnce(supervision: Supervision): Promise<void> {
  const { ports, session, turns } = supervision
  const driven = [...turns.values()].filter(driving => driving.session === session).map(({ actor }) => actor)
  const held = [...driven, ...supervision.queue].map(({ state, epoch }) => ({ turnId: state.turnId, version: state.version, epoch }))
  const moved = await beat(session, ports, held)
  if (moved === null) session.over.abort(new Error('the lease was lost'))
  for (const turnId of moved ?? []) if (turns.has(turnId)) nudge(supervision, turnId)
}

/** The lease is over: running tools are aborted, nothing is appended, and the worker comes back under a new id. */
async function comeBack(supervision: Supervision): Promise<void> {
  const { ports, options, closed } = supervision
  supervision.session.over.abort(new Error('the lease is over'))
  ports.log.warn('the lease was lost; coming back under a new id', { worker: supervision.session.worker })
  while (!closed.signal.aborted) {
    try {
      supervision.session = await enlist(ports, servedBy(options))
      return
    } catch (error) {
      ports.log.warn('enlisting failed', { error: errorName(error) })
      await ports.clock.sleep(RETRY_MS, closed.signal)
    }
  }
}

/** The claim loop takes turns at the same time: what either of them takes meanwhile is driven to its end before this resolves. */
async function recover(supervision: Supervision, turnId?: string): Promise<readonly string[]> {
  const taken = new Set(supervision.turns.keys())
  const watcher = (started: string) => taken.add(started)
  supervision.watchers.add(watcher)
  try {
    for (let more = true; more; ) {
      const before = taken.size
      const claimed = await claim(supervision, turnId)
      await Promise.allSettled([...supervision.claims])
      await Promise.allSettled([...taken].flatMap(started => supervision.turns.get(started)?.done ?? []))
      more =
        turnId === undefined &&
        !supervision.draining &&
        (claimed > 0 || supervision.mayBeMore || supervision.claims.size > 0 || taken.size > before)
    }
    return [...taken].filter(started => turnId === undefined || started === turnId)
  } finally {
    supervision.watchers.delete(watcher)
  }
}

async function close(supervision: Supervision, graceMs: number): Promise<void> {
  const { ports, turns, closed, session } = supervision
  supervision.draining = true
  supervision.wake.abort()
  for (const resume of supervision.waiting.splice(0)) resume()
  const everything = Promise.allSettled([...turns.values()].map(({ done }) => done))
  const enough = new AbortController()
  await Promise.race([everything, ports.clock.sleep(graceMs, enough.signal)])
  enough.abort()
  session.over.abort(new Error('the runtime closes'))
  closed.abort()
  await everything
  await ports.store.retire(session.worker).catch((error: unknown) => ports.log.warn('retiring failed', { error: errorName(error) }))
}
