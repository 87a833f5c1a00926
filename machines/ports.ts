// Everything the loop needs of the world, in one value. Production and simulation are two sets of ports over one core.

import type { Bus, Outbox } from './ports/bus.ts'
import type { Model } from './ports/model.ts'
import type { Store } from './ports/store.ts'
import type { Blobs, Clock, Log, Policy, Random, Redactor, Sealer } from './ports/world.ts'
import type { Tool } from './tool.ts'

export type Ports = {
  readonly store: Store
  readonly outbox: Outbox
  readonly bus: Bus
  /** Null: this process reads and resolves, and asks no model. */
  readonly model: Model | null
  /** By exact name. A Map, so `toString` and `__proto__` are unknown. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly policy: Policy
  readonly redactor: Redactor
  readonly sealer: Sealer | null
  readonly blobs: Blobs | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}
