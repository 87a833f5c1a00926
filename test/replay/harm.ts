// What can happen to a stream: an event forged, erased, taken out, or written by a later release.

import { chain, envelopeHash, GENESIS } from '../../machines/chain.ts'
import type { Fact, StoredEvent } from '../../machines/events.ts'
import { saltOf } from './given.ts'

/** The stream with one event changed and everything behind it chained anew: what somebody can write who knows the format. */
export function forged(events: readonly StoredEvent[], version: number, change: (event: StoredEvent) => StoredEvent): StoredEvent[] {
  let previous = { version: 0, hash: GENESIS }
  return events.map(event => {
    const changed = event.version === version ? change(event) : event
    const { data, type, turnId, tenant, time, actor, worked } = changed
    const stamp = { turnId, tenant, time, actor, worked }
    const [written] = chain(previous, [{ type, data } as Fact], stamp, saltOf)
    if (written === undefined) throw new Error('nothing was chained')
    previous = { version: written.version, hash: written.hash }
    return written
  })
}

/** The stream without the payload of one event, which its chain outlives. */
export function erased(events: readonly StoredEvent[], version: number): StoredEvent[] {
  return events.map(event => (event.version === version ? { ...event, data: null, salt: null } : event))
}

/** The stream with a hole in it. */
export function without(events: readonly StoredEvent[], version: number): StoredEvent[] {
  return events.filter(event => event.version !== version)
}

/** The event as a later release would have written it. */
export function ofNewerRelease(event: StoredEvent): StoredEvent {
  const newer = { ...event, schemaVersion: 99 }
  return { ...newer, hash: envelopeHash(newer) }
}
