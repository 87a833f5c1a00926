// Publishes what nobody else does: events of turns that rest, have ended, or lost their owner before they were all acknowledged.
// One process of all leads, by a lease on a row. The lease only saves work: why the order of first copies does not hang on it
// stands in publisher.ts.

import type { Bus } from '../machines/ports/bus.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { backoffMs } from './backoff.ts'
import { nameOf } from './delivery.ts'
import { eventMessage } from './message.ts'
import { slots } from './slots.ts'

export type RelayPorts = {
  readonly store: Pick<Store, 'lead' | 'unpublished' | 'turn' | 'read' | 'acknowledge'>
  readonly bus: Pick<Bus, 'publish'>
  readonly clock: Clock
  readonly log: Log
}

/** What was left to publish when the relay last looked. */
export type RelayStatus = { readonly leads: boolean; readonly turns: number; readonly versions: number }

export type Relay = {
  readonly status: () => RelayStatus
  /** Lets go of the lead, after what is in flight came to something. */
  readonly close: () => Promise<void>
}

type Lag = { readonly turnId: string; readonly published: number; readonly version: number }

/** What has lagged for so long is left behind: its owner would have published it. */
const LAG_MS = 1000
const LOOK_MS = 1000
const MOST_REST_MS = 30_000
const LEASE_MS = 10_000
/** Turns in one look, and how many of them at a time. */
const TURNS = 256
const AT_ONCE = 32
const READ_AT_ONCE = 64

/** @param worker a name that no other process start has */
export function relay(ports: RelayPorts, worker: string): Relay {
  const closing = new AbortController()
  let status: RelayStatus = { leads: false, turns: 0, versions: 0 }
  let stuck = 0

  const look = async (): Promise<'more' | 'rest' | 'failed'> => {
    const until = ports.clock.monotonic() + LEASE_MS
    const leads = await ports.store.lead('relay', worker, LEASE_MS)
    // Turns that could not be published stay at the front of the list, so it is longer by those.
    const most = TURNS + Math.min(stuck, TURNS)
    const lags = leads ? await ports.store.unpublished(LAG_MS, most) : []
    status = { leads, turns: lags.length, versions: lags.reduce((sum, lag) => sum + lag.version - lag.published, 0) }
    const goesOn = () => !closing.signal.aborted && ports.clock.monotonic() < until
    const reached = await publishAll(ports, lags, goesOn)
    stuck = reached.filter(({ to, version }) => to < version).length
    const moved = reached.filter(({ to, published }) => to > published)
    if (moved.length > 0) await ports.store.acknowledge(moved.map(({ turnId, to }) => ({ turnId, version: to })))
    if (lags.length > 0 && moved.length === 0) return 'failed'
    return lags.length === most ? 'more' : 'rest'
  }

  const run = async () => {
    for (let failures = 0; !closing.signal.aborted; ) {
      const found = await look().catch((error: unknown) => {
        ports.log.warn('The relay could not look for what is unpublished.', { error: nameOf(error) })
        return 'failed' as const
      })
      failures = found === 'failed' ? failures + 1 : 0
      const restMs = found === 'failed' ? backoffMs(failures, LOOK_MS, MOST_REST_MS) : LOOK_MS
      if (found !== 'more') await ports.clock.sleep(restMs, closing.signal)
    }
    if (status.leads) await ports.store.lead('relay', worker, 0)
  }

  const running = run().catch((error: unknown) => ports.log.warn('The relay could not let go of its lead.', { error: nameOf(error) }))
  return {
    status: () => status,
    close: async () => {
      closing.abort()
      await running
    },
  }
}

type Reached = Lag & { readonly to: number }

async function publishAll(ports: RelayPorts, lags: readonly Lag[], goesOn: () => boolean): Promise<readonly Reached[]> {
  const free = slots(AT_ONCE)
  let failed = 0
  const publishOne = async (lag: Lag): Promise<Reached> => {
    await free.take()
    let to = lag.published
    try {
      if (!goesOn()) return { ...lag, to }
      for await (const version of publishTurn(ports, lag, goesOn)) to = version
    } catch (error) {
      failed += 1
      if (failed === 1) ports.log.warn('The relay could not publish a turn yet.', { turnId: lag.turnId, error: nameOf(error) })
    } finally {
      free.give()
    }
    return { ...lag, to }
  }
  return Promise.all(lags.map(publishOne))
}

/** One turn from the store, in order, each version after the acknowledgement of the one before it. Yields what was acknowledged. */
async function* publishTurn({ store, bus }: RelayPorts, lag: Lag, goesOn: () => boolean): AsyncGenerator<number> {
  const row = await store.turn(lag.turnId)
  if (row === null) return
  let published = Math.max(row.published, lag.published)
  yield published
  while (published < lag.version) {
    const events = await store.read(lag.turnId, published, READ_AT_ONCE)
    if (events[0]?.version !== published + 1) throw new Error(`version ${published + 1} is not in the store`)
    for (const event of events) {
      if (!goesOn()) return
      if (event.version !== published + 1) throw new Error(`version ${published + 1} is not in the store`)
      await bus.publish(eventMessage(event, row.labels))
      published = event.version
      yield published
    }
  }
}
