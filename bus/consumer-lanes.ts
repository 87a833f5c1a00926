// Handles events one after the other within a turn, and several turns at a time. What comes from the bus says how far a turn
// got; what was missed on the way there is read from the store, what was seen is dropped.

import type { StoredEvent } from '../machines/events.ts'
import type { Delivery } from '../machines/ports/bus.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { backoffMs } from './backoff.ts'
import type { Position } from './consumer-position.ts'
import { nameOf } from './delivery.ts'
import { publicEvent, type PublicEvent } from './message.ts'
import { slots } from './slots.ts'

/** A message of the bus about one version. The event is null where the message only refers to it. */
export type Arrival = { readonly version: number; readonly event: PublicEvent | null; readonly delivery: Delivery }

export type Lanes = {
  /** A message came. It is answered when its version was handled, or could not be. */
  readonly arrive: (turnId: string, arrival: Arrival) => void
  /** The turn has this version, as the store says. Resolves when it was handled, or could not be. */
  readonly reach: (turnId: string, version: number) => Promise<void>
  /** Starts no handler any more; resolves when those at work are done. */
  readonly close: () => Promise<void>
}

export type LaneOptions = {
  readonly store: Pick<Store, 'read'>
  readonly position: Position
  readonly clock: Clock
  readonly log: Log
  readonly wants: (event: PublicEvent) => boolean
  readonly handler: (event: PublicEvent) => Promise<void> | void
  /** False: the lease has run out; nothing is handled any more. */
  readonly leads: () => boolean
  /** Milliseconds between two signs of life for a message that waits or is being handled. */
  readonly workingMs: number
}

/** Turns that are handled at a time. */
const AT_ONCE = 16
const READ_AT_ONCE = 32
/** Deliveries after which a message about an event that is in no store is let go. */
const TRIES_WITHOUT_EVENT = 5
const FIRST_REST_MS = 1000
const MOST_REST_MS = 60_000

type Lane = {
  readonly turnId: string
  /** The version that was handled last, and the highest that is known of. */
  at: number
  target: number
  /** Messages not answered yet, by version; a second copy of one lies beside the first. */
  held: Arrival[]
  done: Promise<void>
}

export function consumerLanes(options: LaneOptions): Lanes {
  const { clock, log, workingMs } = options
  const lanes = new Map<string, Lane>()
  /** Of turns that failed: the lowest version that the broker gives again. Until it comes, later ones only wait. */
  const resting = new Map<string, number>()
  const free = slots(AT_ONCE)
  const closing = new AbortController()

  const laneOf = (turnId: string): Lane => {
    const known = lanes.get(turnId)
    if (known !== undefined) return known
    const lane: Lane = { turnId, at: 0, target: 0, held: [], done: Promise.resolve() }
    lanes.set(turnId, lane)
    // Begins a moment later, when the caller has put in what it has.
    lane.done = Promise.resolve().then(() => run(lane))
    return lane
  }

  const run = async (lane: Lane) => {
    await free.take()
    try {
      while (!closing.signal.aborted && options.leads()) {
        await step(options, lane, closing.signal)
        resting.delete(lane.turnId)
        // Nothing can arrive between this look and the end of the lane.
        if (lane.target <= lane.at && lane.held.length === 0) break
      }
    } catch (error) {
      log.warn('An event could not be handled; it is given again.', { turnId: lane.turnId, error: nameOf(error) })
      if (lane.held.length > 0) resting.set(lane.turnId, Math.min(...lane.held.map(({ version }) => version)))
    } finally {
      free.give()
      lanes.delete(lane.turnId)
      for (const arrival of lane.held) refuse(arrival)
    }
  }

  const signsOfLife = async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(workingMs, closing.signal)
      for (const { held } of lanes.values()) for (const { delivery } of held) delivery.working()
    }
  }
  void signsOfLife()

  return {
    arrive: (turnId, arrival) => {
      const waitsFor = resting.get(turnId)
      if (closing.signal.aborted || (waitsFor !== undefined && arrival.version > waitsFor)) return refuse(arrival)
      const lane = laneOf(turnId)
      lane.held.push(arrival)
      lane.target = Math.max(lane.target, arrival.version)
    },
    reach: (turnId, version) => {
      if (closing.signal.aborted) return Promise.resolve()
      const lane = laneOf(turnId)
      lane.target = Math.max(lane.target, version)
      return lane.done
    },
    close: async () => {
      closing.abort()
      await Promise.all([...lanes.values()].map(({ done }) => done))
    },
  }
}

/** Handles what comes next in a turn. @throws what the handler threw, or when an event is missing */
async function step(options: LaneOptions, lane: Lane, signal: AbortSignal): Promise<void> {
  const { position } = options
  lane.at = await position.at(lane.turnId)
  acknowledge(lane)
  if (lane.target <= lane.at) return
  const events = await eventsBehind(options, lane)
  if (events.length === 0) return passOver(options, lane)
  for (const event of events) {
    if (signal.aborted || !options.leads()) return
    if (event.version !== lane.at + 1) throw new Error(`version ${lane.at + 1} is not in the store`)
    if (options.wants(event)) await options.handler(event)
    lane.at = event.version
    await position.advance(lane.turnId, lane.at)
    acknowledge(lane)
  }
}

/** The next events: the one that came, where it is the very next, else from the store. None: the store has no more. */
async function eventsBehind({ store }: LaneOptions, { turnId, at, held }: Lane): Promise<readonly PublicEvent[]> {
  const next = held.find(({ version, event }) => version === at + 1 && event !== null)
  if (next?.event != null) return [next.event]
  const stored: readonly StoredEvent[] = await store.read(turnId, at, READ_AT_ONCE)
  return stored.map(publicEvent)
}

/**
 * The bus speaks of versions that the store does not have, as after a restore from a backup. Nothing is published before it is
 * committed, so they never were; they are asked about a few times, said, and let go, lest they keep the others from coming.
 */
function passOver({ log }: LaneOptions, lane: Lane): void {
  for (const arrival of lane.held) {
    if (arrival.delivery.count < TRIES_WITHOUT_EVENT) refuse(arrival)
    else arrival.delivery.ack()
  }
  const missing = { turnId: lane.turnId, version: lane.at + 1 }
  log.error('There are messages about versions that are not in the store; they are passed over.', missing)
  lane.held = []
  lane.target = lane.at
}

/** What was seen needs no message any more. */
function acknowledge(lane: Lane): void {
  for (const { version, delivery } of lane.held) if (version <= lane.at) delivery.ack()
  lane.held = lane.held.filter(({ version }) => version > lane.at)
}

/** Given again later, and later each time. */
function refuse({ delivery }: Arrival): void {
  delivery.nak(backoffMs(delivery.count, FIRST_REST_MS, MOST_REST_MS))
}
