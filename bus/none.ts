// No bus: nothing is published, nothing can be consumed, and progress goes nowhere.

import { ToolturnError } from '../machines/errors.ts'
import type { Bus, Outbox } from '../machines/ports/bus.ts'
import type { BusSource } from './source.ts'

export function noBus(): BusSource {
  return { kind: 'none', open: async () => openNone() }
}

/** A bus that takes nothing. Use `noOutbox` beside it; a publisher over it would only ever wait. */
export function openNone(): Bus {
  const refuse = async () => {
    throw new ToolturnError('bus_unreachable', 'No bus is configured.')
  }
  return {
    publish: refuse,
    progress: () => {},
    consume: refuse,
    onProgress: refuse,
    health: async () => ({ kind: 'none', server: '', reachable: false, messages: 0 }),
    close: async () => {},
  }
}

/**
 * The outbox of a process without a bus: events stay unpublished in the store. When a bus is configured later, the relay
 * publishes them from there.
 */
export const noOutbox: Outbox = { committed: () => {}, published: () => 0 }
