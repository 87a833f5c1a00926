// What a subscriber says of itself, and how often a consumer does things.

import { ToolturnError } from '../machines/errors.ts'
import { isEventType, type EventType } from '../machines/events.ts'
import type { Seen } from './consumer-position.ts'
import type { PublicEvent } from './message.ts'
import { consumerName, turnsFilter } from './subjects.ts'

export type SubscribeOptions = {
  /** Names the consumer for good: its place is kept under it, and replicas are those who subscribe under the same one. */
  readonly name: string
  /** Default: all tenants. */
  readonly tenant?: string
  /** Default: all types. */
  readonly types?: readonly EventType[]
  /** Where a consumer begins that has no place yet: with what is committed from now on, or with the first event of all. */
  readonly from: 'new' | 'start'
  /** Where the effect is kept, to have each effect exactly once; see `Seen`. Default: the place is kept in the store alone. */
  readonly seen?: Seen
  /** Aborted: as `close`. */
  readonly signal?: AbortSignal
}

export type EventHandler = (event: PublicEvent) => Promise<void> | void

/** How often things are done, in milliseconds. The defaults are right outside tests. */
export type ConsumerPace = {
  /** How long the one at work may be silent before another one takes over. */
  readonly leaseMs: number
  /** Between two comparisons with the heads of all turns. */
  readonly proveMs: number
  /** Between two signs of life for a message in hand; well under the ack wait of the bus. */
  readonly workingMs: number
}

/** @throws ToolturnError `option_invalid` */
export function checkOptions({ name, tenant, types = [], from }: SubscribeOptions): void {
  consumerName(name)
  turnsFilter(tenant)
  const unknown = types.find(type => !isEventType(type))
  if (unknown !== undefined) throw refused('types', 'A type to subscribe to is no event type.')
  if (from !== 'new' && from !== 'start') throw refused('from', 'A consumer begins from `new` or `start`.')
}

function refused(option: string, why: string): ToolturnError {
  return new ToolturnError('option_invalid', why, { option })
}
