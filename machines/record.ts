// One record of a stream, held against the one before it before anything is believed of it.

import { checkLink } from './chain.ts'
import { ToolturnError } from './errors.ts'
import type { Event, StoredEvent } from './events.ts'
import { parseEvent } from './fold.ts'

/** The record that another one stands behind; null before version 1. */
export type Link = Pick<StoredEvent, 'version' | 'hash'> | null

/** What stands at the next place of a stream: an event, or nothing that could be served from there. */
export type Read = { readonly event: Event } | { readonly missing: number }

/**
 * Reads what stands behind a record. A hole and an erased payload are missing; damage is thrown.
 *
 * @throws ToolturnError `history_broken` when the record was changed or is none of this stream, `illegal_history` and
 *   `schema_newer` when its payload cannot be read
 */
export function readRecord(previous: Link, stored: StoredEvent): Read {
  const due = (previous?.version ?? 0) + 1
  if (stored.version > due) return { missing: due }
  switch (checkLink(previous, stored)) {
    case 'whole':
      return { event: parseEvent(stored) }
    case 'erased':
      return { missing: stored.version }
    case 'broken': {
      const { turnId, version, type } = stored
      throw new ToolturnError('history_broken', `Version ${version} of the turn does not fit the chain behind version ${due - 1}.`, {
        turnId,
        version,
        event: type,
      })
    }
  }
}

/**
 * Reads a stream, or what stands behind a record of it, for somebody who goes on from there: whole, or not at all.
 *
 * @throws ToolturnError `illegal_history` where a record does not stand where it says or was changed, or its payload cannot be read;
 *   `replay_source_missing` where a payload was erased; `schema_newer`
 */
export function readStream(previous: Link, stored: readonly StoredEvent[]): readonly Event[] {
  let link = previous
  return stored.map(record => {
    const { turnId, version, type } = record
    if (checkLink(link, record) === 'broken') {
      throw new ToolturnError('illegal_history', `Event ${type} at version ${version} does not fit the chain behind it.`, {
        turnId,
        version,
        event: type,
      })
    }
    link = record
    return parseEvent(record)
  })
}
