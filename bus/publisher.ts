// The owner's outbox: tells the bus what this process committed, in version order, one unacknowledged message for each turn.
//
// Why the first copy of every version arrives in order, although several may publish one turn at a time (its owner, the relay,
// an owner that was fenced and does not know it yet): whoever sends version v knows that v - 1 was acknowledged. It saw the
// acknowledgement itself, or read it from `published` in the turn's row, which rises by acknowledgements alone. So the broker
// had v - 1 before anybody sent v. Nobody has to be the only one for this; leases only save work. What may come at any time,
// from a late writer or a lost acknowledgement, is a repeat, and repeats are the consumer's to drop.

import type { StoredEvent } from '../machines/events.ts'
import type { Bus, Outbox } from '../machines/ports/bus.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { acknowledgements } from './acknowledgements.ts'
import { backoffMs } from './backoff.ts'
import { nameOf } from './delivery.ts'
import { eventMessage } from './message.ts'
import { slots, type Slots } from './slots.ts'

export type PublisherPorts = {
  readonly store: Pick<Store, 'read' | 'turn' | 'acknowledge'>
  readonly bus: Pick<Bus, 'publish'>
  readonly clock: Clock
  readonly log: Log
}

export type Publisher = Outbox & {
  /**
   * Takes nothing more, lets what is on its way come to something for at most `graceMs` (default 5,000), and tells the store
   * what was acknowledged. What could not be sent is left to the relay.
   */
  readonly close: (graceMs?: number) => Promise<void>
}

/** Messages in flight, each of another turn. */
const MOST_IN_FLIGHT = 256
/** Turns whose events are still to be sent. Those over it are left to the relay, or to their next append. */
const MOST_TURNS = 4096
/** Events kept in memory for one turn; the ones behind them are read from the store when it is their turn. */
const MOST_QUEUED = 64
const READ_AT_ONCE = 64
const FIRST_REST_MS = 200
const MOST_REST_MS = 30_000
const GRACE_MS = 5000

/** A turn with something to send. */
type Lane = {
  readonly turnId: string
  labels: { readonly [name: string]: string }
  /** Highest version that the bus acknowledged; null until the row of the turn was read. */
  published: number | null
  /** Highest version that is known to be committed. */
  committed: number
  /** Next events, without gaps; empty where the store has to be read. */
  queue: StoredEvent[]
  failures: number
}

type State = PublisherPorts & {
  readonly lanes: Map<string, Lane>
  readonly acknowledged: ReturnType<typeof acknowledgements>
  readonly inFlight: Slots
  readonly pumps: Set<Promise<void>>
  /** Aborted at the close: nothing rests any more, and what fails is left. */
  readonly closing: AbortController
  /** Aborted when the grace is over: nothing more is sent. */
  readonly over: AbortController
  /** So that being full is said once. */
  full: boolean
}

export function publisher(ports: PublisherPorts): Publisher {
  const state: State = {
    ...ports,
    lanes: new Map(),
    acknowledged: acknowledgements(ports),
    inFlight: slots(MOST_IN_FLIGHT),
    pumps: new Set(),
    closing: new AbortController(),
    over: new AbortController(),
    full: false,
  }
  return {
    committed: (events, labels) => take(state, events, labels),
    published: turnId => state.acknowledged.published(turnId),
    close: async (graceMs = GRACE_MS) => {
      state.closing.abort()
      const done = new AbortController()
      await Promise.race([Promise.all(state.pumps), ports.clock.sleep(graceMs, done.signal)])
      done.abort()
      state.over.abort()
      await state.acknowledged.close()
    },
  }
}

function take(state: State, events: readonly StoredEvent[], labels: { readonly [name: string]: string }): void {
  const [first] = events
  if (first === undefined || state.closing.signal.aborted) return
  const { turnId } = first
  state.acknowledged.appended(turnId)
  const running = state.lanes.get(turnId)
  if (running === undefined && state.lanes.size >= MOST_TURNS) return leave(state)
  const lane = running ?? newLane(state, first)
  lane.labels = labels
  enqueue(lane, events)
  if (running !== undefined) return
  state.lanes.set(turnId, lane)
  const pumping = pump(state, lane).finally(() => state.pumps.delete(pumping))
  state.pumps.add(pumping)
}

function leave(state: State): void {
  if (!state.full) state.log.warn('Too many turns wait for the bus; further ones are left to the relay.', { turns: MOST_TURNS })
  state.full = true
}

function newLane(state: State, { turnId, version }: StoredEvent): Lane {
  const known = state.acknowledged.known(turnId)
  const published = known > 0 ? known : version === 1 ? 0 : null
  return { turnId, labels: {}, published, committed: 0, queue: [], failures: 0 }
}

/** Events that were seen already are skipped; behind a gap, or over the bound, they are left to be read from the store. */
function enqueue(lane: Lane, events: readonly StoredEvent[]): void {
  for (const event of events) {
    const next = (lane.queue.at(-1)?.version ?? event.version - 1) + 1
    if (event.version > lane.committed && event.version === next && lane.queue.length < MOST_QUEUED) lane.queue.push(event)
    lane.committed = Math.max(lane.committed, event.version)
  }
}

/** Sends until nothing is left. Never rejects. While a turn fails it is quiet, and then goes on from the store. */
async function pump(state: State, lane: Lane): Promise<void> {
  while (!state.over.signal.aborted) {
    await state.inFlight.take()
    const sent = await sendAll(state, lane).finally(state.inFlight.give)
    // Looked at once more: events may have come in between the last look and here. Nothing comes between here and the end.
    if (sent && (lane.published ?? 0) >= lane.committed) break
    if (sent) continue
    if (state.closing.signal.aborted) break
    lane.failures += 1
    lane.queue = []
    await state.clock.sleep(backoffMs(lane.failures, FIRST_REST_MS, MOST_REST_MS), state.closing.signal)
  }
  state.lanes.delete(lane.turnId)
  state.full = false
}

/** One after the other, each sent when the one before it was acknowledged. False: one could not be sent, for now. */
async function sendAll(state: State, lane: Lane): Promise<boolean> {
  try {
    for (;;) {
      const event = await nextOf(state, lane)
      if (event === null || state.over.signal.aborted) return true
      await state.bus.publish(eventMessage(event, lane.labels))
      lane.published = event.version
      lane.failures = 0
      state.acknowledged.acknowledge(lane.turnId, event.version)
    }
  } catch (error) {
    if (lane.failures === 0) state.log.warn('An event could not be published yet.', { turnId: lane.turnId, error: nameOf(error) })
    return false
  }
}

/** The event behind the last acknowledged one; null when all that is committed was acknowledged. */
async function nextOf(state: State, lane: Lane): Promise<StoredEvent | null> {
  const published = lane.published ?? (await state.store.turn(lane.turnId))?.published ?? 0
  lane.published = published
  if (published >= lane.committed) return null
  while (lane.queue[0] !== undefined && lane.queue[0].version <= published) lane.queue.shift()
  if (lane.queue[0]?.version !== published + 1) lane.queue = [...(await state.store.read(lane.turnId, published, READ_AT_ONCE))]
  const next = lane.queue.shift()
  if (next?.version !== published + 1) throw new Error(`version ${published + 1} is not in the store`)
  return next
}
