// A consumer's world in memory: everything that happens in it happens when the test says so.

import { subscribe } from '../../bus/consumer.ts'
import type { EventHandler, SubscribeOptions } from '../../bus/consumer-options.ts'
import { memoryBroker } from '../../bus/memory.ts'
import { eventMessage } from '../../bus/message.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Bus } from '../../machines/ports/bus.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { manualClock } from './manual-clock.ts'
import { keptLog, random, type Writing } from './world.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS

/** A store, a broker and one clock for all. */
export function begin(ackWaitMs = 30_000) {
  const clock = manualClock()
  const database = memoryDatabase({ epochMs: () => 1_800_000_000_000 + clock.monotonic() })
  const store = openMemory(database)
  const broker = memoryBroker({ clock, ackWaitMs })
  const log = keptLog()
  const bus = broker.open(log)
  const ports = { store, bus, clock, random, log }
  return { clock, database, store, broker, bus, log, ports }
}

export type ConsumerWorld = ReturnType<typeof begin>

let copies = 0
/** Puts copies on the bus that the broker takes for new ones, as it does when its memory of ids is over. */
export async function send(bus: Bus, events: readonly (StoredEvent | undefined)[]): Promise<void> {
  for (const event of events) if (event !== undefined) await bus.publish({ ...eventMessage(event, {}), id: `copy-${(copies += 1)}` })
}

/** Subscribes and keeps what comes, as `<turn>:<version>`. */
export async function keep(world: ConsumerWorld, options: Partial<SubscribeOptions> = {}, handle: EventHandler = () => {}) {
  const seen: string[] = []
  const subscription = await subscribe(world.ports, { name: 'reader', from: 'new', ...options }, async event => {
    await handle(event)
    seen.push(`${event.turnId}:${event.version}`)
  })
  await world.clock.settle()
  const of = ({ turnId }: Writing) => seen.filter(id => id.startsWith(turnId)).map(id => Number(id.split(':')[1]))
  return { seen, of, close: () => Promise.race([subscription.close(), world.clock.tick(1000).then(() => subscription.close())]) }
}
