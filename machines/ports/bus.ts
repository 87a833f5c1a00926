// The bus port: what was committed, told to others. Two implementations, one suite. Never the truth; the store is.

import type { StoredEvent } from '../events.ts'

/** One committed event on its way out. */
export type BusMessage = {
  /** `turns.<tenant>.<turnId>.<type>`, or `replays.…`. */
  readonly subject: string
  /** `<turnId>:<version>`: the broker drops a second copy inside its window. */
  readonly id: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

/** A delivered message. Exactly one of `ack` and `nak` is called for it. */
export type Delivery = {
  readonly subject: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
  /** From 1; above 1 it came before and was not acknowledged. */
  readonly count: number
  readonly ack: () => void
  /** Give it again, after `delayMs`. */
  readonly nak: (delayMs?: number) => void
  /** Still at it: do not give it to another one yet. */
  readonly working: () => void
}

export type Subscription = { readonly close: () => Promise<void> }

export type BusHealth = {
  readonly kind: 'nats' | 'memory' | 'none'
  readonly server: string
  readonly reachable: boolean
  readonly messages: number
}

export type Bus = {
  /**
   * Resolves when the broker has it (a duplicate counts as having it), so `published` may rise. Rejects with
   * `bus_unreachable`, also while disconnected: nothing is buffered. The event must be committed before this is called.
   */
  readonly publish: (message: BusMessage) => Promise<void>
  /** Unrecorded progress: sent and forgotten, never stored, never awaited. */
  readonly progress: (subject: string, body: Uint8Array) => void
  /** Durable consumer: every message of the subjects from where `name` left off; a new one starts at `from`. */
  readonly consume: (
    name: string,
    options: { readonly subject: string; readonly from: 'new' | 'start' },
    handler: (delivery: Delivery) => Promise<void>,
  ) => Promise<Subscription>
  /** Progress messages, live only. */
  readonly onProgress: (subject: string, handler: (subject: string, body: Uint8Array) => void) => Promise<Subscription>
  readonly health: () => Promise<BusHealth>
  readonly close: () => Promise<void>
}

/** Sends committed events of one turn, in version order, one unacknowledged at a time. */
export type Outbox = {
  /** The events are committed. Returns at once; what cannot be sent now is sent by the relay later. */
  readonly committed: (events: readonly StoredEvent[], labels: { readonly [name: string]: string }) => void
  /** The highest acknowledged version of a turn that this process publishes; 0 where unknown. */
  readonly published: (turnId: string) => number
}
