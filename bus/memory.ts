// The bus in memory: the same port as on a broker, for one process and for simulation, with switches for what can go wrong.

import { ToolturnError } from '../machines/errors.ts'
import type { Bus, BusMessage, Subscription } from '../machines/ports/bus.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { unthrowing, type Hear } from './delivery.ts'
import { memoryDurable, type MemoryDurable } from './memory-durable.ts'
import { memoryLog } from './memory-log.ts'
import { fitted } from './message.ts'
import type { BusSource } from './source.ts'
import { consumerName, keptSpaceOf, subjectMatches } from './subjects.ts'

/** A broker that lives in this process. Handles on it are opened like connections; what it keeps is lost with the process. */
export type MemoryBroker = {
  readonly open: (log: Log) => Bus
  /** True: out of reach. Publishes reject, answers get lost, nothing is handed out; ending it gives unanswered messages again. */
  readonly outage: (on: boolean) => void
  /** True: keeps what is published and does not say so until it is fast again. An outage meanwhile leaves that unsaid. */
  readonly slow: (on: boolean) => void
  /** Gives every unanswered message again, as an ack wait would. */
  readonly redeliver: () => void
  /** What is kept, in order of arrival. */
  readonly kept: (space: 'turns' | 'replays') => readonly BusMessage[]
}

export type MemoryBrokerOptions = {
  /** Without one no time passes: an unanswered or refused message comes again at `redeliver` or after an outage. */
  readonly clock?: Clock
  /** Milliseconds after which an unanswered message is given again. Default 30,000. */
  readonly ackWaitMs?: number
  /** Bytes of headers and body that a message may have; a larger body goes as a reference. Default 1,048,576. */
  readonly maxPayload?: number
  /** Messages kept in each space, the oldest go first. Default 100,000. */
  readonly most?: number
}

/** A runtime's bus in this process. Several runtimes share one broker when they are given the same. */
export function memoryBus(broker: MemoryBroker): BusSource {
  return { kind: 'memory', open: async log => broker.open(log) }
}

export function memoryBroker(options: MemoryBrokerOptions = {}): MemoryBroker {
  const { clock = null, ackWaitMs = 30_000, maxPayload = 1_048_576, most = 100_000 } = options
  const logs = { turns: memoryLog(most), replays: memoryLog(most) }
  const durables = new Map<string, MemoryDurable>()
  const listeners = new Set<{ readonly subject: string; readonly hear: Hear }>()
  const unsaid = new Set<{ readonly say: () => void; readonly lose: () => void }>()
  const state = { out: false, slow: false }

  const pumpAll = () => durables.forEach(durable => durable.pump())
  const durableOf = (name: string, subject: string, from: 'new' | 'start') => {
    const space = keptSpaceOf(subject)
    const key = `${space}:${name}`
    const known = durables.get(key)
    known?.filter(subject)
    const durable = known ?? memoryDurable({ log: logs[space], subject, from, clock, ackWaitMs, reachable: () => !state.out })
    durables.set(key, durable)
    return durable
  }
  const publish = (message: BusMessage): Promise<void> => {
    if (state.out) return Promise.reject(unreachable())
    if (logs[keptSpaceOf(message.subject)].add(fitted(message, maxPayload))) pumpAll()
    if (!state.slow) return Promise.resolve()
    return new Promise((resolve, reject) => unsaid.add({ say: resolve, lose: () => reject(unreachable()) }))
  }
  const progress = (subject: string, body: Uint8Array) => {
    if (state.out) return
    for (const listener of listeners) {
      if (subjectMatches(listener.subject, subject)) queueMicrotask(() => listener.hear(subject, body))
    }
  }
  const broker = { publish, progress, durableOf, listeners, health: () => ({ reachable: !state.out, messages: logs.turns.kept().length }) }

  return {
    open: log => openHandle(broker, log),
    outage: on => {
      state.out = on
      if (on) settle(unsaid, 'lose')
      else durables.forEach(durable => durable.redeliver())
    },
    slow: on => {
      state.slow = on
      if (!on) settle(unsaid, 'say')
    },
    redeliver: () => durables.forEach(durable => durable.redeliver()),
    kept: space => logs[space].kept(),
  }
}

type BrokerInside = {
  readonly publish: (message: BusMessage) => Promise<void>
  readonly progress: (subject: string, body: Uint8Array) => void
  readonly durableOf: (name: string, subject: string, from: 'new' | 'start') => MemoryDurable
  readonly listeners: Set<{ readonly subject: string; readonly hear: Hear }>
  readonly health: () => { readonly reachable: boolean; readonly messages: number }
}

/** One handle: what it subscribed to ends with it. */
function openHandle(broker: BrokerInside, log: Log): Bus {
  let closed = false
  const open = new Set<() => void>()
  const subscription = (end: () => void): Subscription => {
    open.add(end)
    return {
      close: async () => {
        if (open.delete(end)) end()
      },
    }
  }
  return {
    publish: async message => {
      if (closed) throw unreachable()
      await broker.publish(message)
    },
    progress: (subject, body) => {
      if (!closed) broker.progress(subject, body)
    },
    consume: async (name, { subject, from }, handler) => {
      if (closed) throw unreachable()
      return subscription(broker.durableOf(consumerName(name), subject, from).attach({ handler, log }))
    },
    onProgress: async (subject, hear) => {
      if (closed) throw unreachable()
      const listener = { subject, hear: unthrowing(hear, log) }
      broker.listeners.add(listener)
      return subscription(() => void broker.listeners.delete(listener))
    },
    health: async () => ({ kind: 'memory', server: 'memory:', ...broker.health() }),
    close: async () => {
      closed = true
      for (const end of open) end()
      open.clear()
    },
  }
}

function settle(waiting: Set<{ readonly say: () => void; readonly lose: () => void }>, how: 'say' | 'lose'): void {
  for (const one of waiting) one[how]()
  waiting.clear()
}

function unreachable(): ToolturnError {
  return new ToolturnError('bus_unreachable', 'The bus in memory is out of reach.')
}
