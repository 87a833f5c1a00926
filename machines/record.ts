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
 * @throws ToolturnError as `readRecord`; `replay_source_missing` where something is missing
 */
export function readStream(previous: Link, stored: readonly StoredEvent[]): readonly Event[] {
  let link = previous
  return stored.map(record => {
    const read = readRecord(link, record)
    link = record
    if ('event' in read) return read.event
    const { turnId } = record
    throw new ToolturnError('replay_source_missing', `Version ${read.missing} of the turn is not there.`, { turnId, version: read.missing })
  })
}
