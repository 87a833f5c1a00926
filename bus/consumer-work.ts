// A consumer at work: takes what the bus brings, and proves against the store that nothing is missing.
//
// The bus may lose a message, bring it twice, or late. What it says is only how far a turn got. At the start and every minute
// the heads of all turns that changed are compared with what was seen; what no message ever told is found there.

import type { Bus, Delivery } from '../machines/ports/bus.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import type { ConsumerPace, EventHandler, SubscribeOptions } from './consumer-options.ts'
import { consumerLanes, type Lanes } from './consumer-lanes.ts'
import { headsSince, openPosition, type Position } from './consumer-position.ts'
import { nameOf } from './delivery.ts'
import { readMessage, type PublicEvent } from './message.ts'
import { slots } from './slots.ts'
import { turnsFilter } from './subjects.ts'

export type WorkPorts = {
  readonly store: Pick<Store, 'now' | 'read' | 'turn' | 'heads' | 'cursor' | 'saveCursor' | 'lead'>
  readonly bus: Pick<Bus, 'consume'>
  readonly clock: Clock
  readonly log: Log
}

export type Work = {
  readonly ports: WorkPorts
  readonly options: SubscribeOptions
  readonly handler: EventHandler
  readonly pace: ConsumerPace
  /** Renews the lease; false when it is another one's. */
  readonly hold: (ms: number) => Promise<boolean>
  /** On the monotonic clock: the lease that is held now lasts so long. Moves on as it is renewed. */
  until: number
  readonly signal: AbortSignal
}

/** Turns that a proof brings up to date at a time. */
const PROVED_AT_ONCE = 64
/** How long handlers at work are waited for at the end. */
const GRACE_MS = 30_000

/** Works until the lease is lost or the signal. @throws when the place cannot be read or written */
export async function work(state: Work): Promise<void> {
  const { ports, options, handler, pace } = state
  const leads = () => ports.clock.monotonic() < state.until
  const position = await openPosition({ ...ports, leads }, options.name, options.seen ?? null)
  const types = options.types === undefined ? null : new Set<string>(options.types)
  const wants = (event: PublicEvent) => types === null || types.has(event.type)
  const lanes = consumerLanes({ ...ports, position, handler, wants, leads, workingMs: pace.workingMs })
  const over = new AbortController()
  const done = new AbortController()
  const consuming = consume(state, lanes)
  const proving = proveAgainAndAgain(state, position, lanes, over.signal)
  const lease = keepLease(state, done.signal)
  await Promise.race([lease, abortOf(state.signal, done.signal)])
  over.abort()
  const finished = Promise.all([lanes.close(), consuming.then(subscription => subscription?.close()), proving])
  await Promise.race([finished, ports.clock.sleep(GRACE_MS, done.signal)])
  await position.close().finally(() => done.abort())
  await lease
}

/** Resolves when a signal is aborted. @param forget ends the listening */
function abortOf(signal: AbortSignal, forget: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { signal: forget })
  })
}

/** Null when the bus refuses: the consumer then lives on what the store says. */
function consume({ ports: { bus, log }, options }: Work, lanes: Lanes) {
  const { name, tenant, from } = options
  const wanted = { subject: turnsFilter(tenant), from }
  return bus
    .consume(name, wanted, async delivery => receive(delivery, lanes, log))
    .catch((error: unknown) => {
      log.warn('A consumer hears nothing from the bus and lives on what the store says.', { consumer: name, error: nameOf(error) })
      return null
    })
}

function receive(delivery: Delivery, lanes: Lanes, log: Log): void {
  const received = readMessage(delivery.body)
  switch (received.kind) {
    case 'event':
      return lanes.arrive(received.event.turnId, { version: received.event.version, event: received.event, delivery })
    case 'reference':
      return lanes.arrive(received.turnId, { version: received.version, event: null, delivery })
    case 'foreign':
      log.warn('A message on the bus is none of ours; it is passed over.', { subject: delivery.subject })
      return delivery.ack()
  }
}

/** Until another one leads, the lease ran out before it could be renewed, or the signal: the last handlers are under it, too. */
async function keepLease(state: Work, signal: AbortSignal): Promise<void> {
  const {
    ports: { clock },
    pace,
    hold,
  } = state
  while (!signal.aborted && clock.monotonic() < state.until) {
    await clock.sleep(pace.leaseMs / 3, signal)
    if (signal.aborted) return
    const began = clock.monotonic()
    const held = await hold(pace.leaseMs).catch(() => null) // the store is away: what is held lasts as long as it lasts
    if (held === false) state.until = began
    if (held === true) state.until = began + pace.leaseMs
  }
}

async function proveAgainAndAgain(state: Work, position: Position, lanes: Lanes, signal: AbortSignal): Promise<void> {
  const {
    ports: { clock, log },
    options,
    pace,
  } = state
  while (!signal.aborted) {
    await prove(state, position, lanes, signal).catch((error: unknown) => {
      log.warn('A consumer could not compare with the store.', { consumer: options.name, error: nameOf(error) })
    })
    await clock.sleep(pace.proveMs, signal)
  }
}

/** Brings every turn to its head, and then moves the place's time on. */
async function prove({ ports, options: { tenant } }: Work, position: Position, lanes: Lanes, signal: AbortSignal): Promise<void> {
  const { store } = ports
  const lookedAt = await store.now()
  for await (const head of headsSince(store, position.since())) {
    if (signal.aborted) return
    if (tenant !== undefined && head.tenant !== tenant) continue
    await position.expect(head.turnId, head.version)
  }
  const free = slots(PROVED_AT_ONCE)
  for (const { turnId, version } of await position.behind()) {
    if (signal.aborted) return
    await free.take()
    void lanes.reach(turnId, version).finally(free.give)
  }
  await position.prune(lookedAt)
}
