// `subscribe`: hands a consumer every committed event once, in turn order.
//
// Of all who subscribe under one name, one is at work, by a lease in the store; the others stand by. So order and "once" need
// no agreement on single turns, and hold over any number of replicas.

import type { Subscription } from '../machines/ports/bus.ts'
import type { Random } from '../machines/ports/world.ts'
import { checkOptions, type ConsumerPace, type EventHandler, type SubscribeOptions } from './consumer-options.ts'
import { beginPosition, placeName } from './consumer-position.ts'
import { work, type WorkPorts } from './consumer-work.ts'
import { nameOf } from './delivery.ts'

const PACE: ConsumerPace = { leaseMs: 15_000, proveMs: 60_000, workingMs: 5000 }
const BEGIN_REST_MS = 100

export type ConsumerPorts = WorkPorts & { readonly random: Pick<Random, 'workerId'> }

/**
 * Resolves when the consumer has its place: everything committed from then on reaches it (`new`), or everything (`start`).
 *
 * A handler that throws is given the event again, later each time; its turn waits for it, other turns do not. The place is
 * written a moment after events were handled, so after a crash the last few come again; with `seen` their effects do not.
 * Closing waits for handlers at work, within bounds, and lets the next replica in at once.
 *
 * @throws ToolturnError `option_invalid`, or `store_unreachable` when the place cannot be looked up
 */
export async function subscribe(
  ports: ConsumerPorts,
  options: SubscribeOptions,
  handler: EventHandler,
  pace: ConsumerPace = PACE,
): Promise<Subscription> {
  checkOptions(options)
  const me = ports.random.workerId()
  const closing = new AbortController()
  await begin(ports, options, me, pace)
  const running = standBy(ports, options, handler, pace, me, closing.signal)
  const close = () => {
    closing.abort()
    return running
  }
  options.signal?.addEventListener('abort', () => void close())
  if (options.signal?.aborted === true) await close()
  return { close }
}

/** Until the consumer has a place. Only who leads writes the first one. */
async function begin(ports: ConsumerPorts, { name, from }: SubscribeOptions, me: string, pace: ConsumerPace): Promise<void> {
  const { store, clock } = ports
  while ((await store.cursor(placeName(name))) === null) {
    if (await store.lead(placeName(name), me, pace.leaseMs)) await beginPosition(store, name, from)
    else await clock.sleep(BEGIN_REST_MS)
  }
}

/** Works whenever it leads. Never rejects. */
async function standBy(
  ports: ConsumerPorts,
  options: SubscribeOptions,
  handler: EventHandler,
  pace: ConsumerPace,
  me: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = ports
  const hold = (ms: number) => store.lead(placeName(options.name), me, ms)
  const fields = (error: unknown) => ({ consumer: options.name, error: nameOf(error) })
  while (!signal.aborted) {
    try {
      const until = clock.monotonic() + pace.leaseMs
      if (await hold(pace.leaseMs)) await work({ ports, options, handler, pace, hold, until, signal })
    } catch (error) {
      log.warn('A consumer could not work.', fields(error))
    }
    await clock.sleep(pace.leaseMs / 3, signal)
  }
  await hold(0).catch((error: unknown) => log.warn('A consumer could not let go of its lease; it ends by itself.', fields(error)))
}
