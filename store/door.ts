// The door of the store: nothing goes into a stream that does not follow what the writer says stands before it.

import { checkLink, GENESIS } from '../machines/chain.ts'
import { ToolturnError } from '../machines/errors.ts'
import type { StoredEvent } from '../machines/events.ts'
import type { Append, OpenTurn } from '../machines/ports/store.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Turn ids are lower-case UUIDs; another text names no turn. */
export function isTurnId(text: string): boolean {
  return UUID.test(text)
}

/** @throws ToolturnError `option_invalid` */
export function checkOpen(turn: OpenTurn): void {
  if (!isTurnId(turn.turnId)) throw invalid('A turn id is a UUID in lower case.', turn.turnId)
  checkStream(turn, turn.tenant, { version: 0, hash: GENESIS })
}

/** @throws ToolturnError `turn_not_found` or `option_invalid` */
export function checkAppend(append: Append): void {
  if (!isTurnId(append.turnId)) throw new ToolturnError('turn_not_found', '', { turnId: append.turnId })
  checkStream(append, append.events[0]?.tenant ?? '', { version: append.expected, hash: append.head })
}

function checkStream(write: OpenTurn | Append, tenant: string, before: { version: number; hash: string }): void {
  const { turnId, events, approvals } = write
  if (events.length === 0) throw invalid('There is no event to append.', turnId)
  let previous = before
  for (const event of events) {
    if (event.turnId !== turnId || event.tenant !== tenant) throw invalid('An event is of another turn.', turnId)
    if (checkLink(previous, event) === 'broken') throw invalid(`An event does not follow version ${previous.version}.`, turnId)
    if (!isTime(event)) throw invalid(`The time of version ${event.version} is not ISO 8601 in UTC with milliseconds.`, turnId)
    previous = event
  }
  if (approvals?.open.some(row => row.turnId !== turnId)) throw invalid('An approval is of another turn.', turnId)
}

/** A column of instants gives back exactly what these are. */
function isTime({ time }: StoredEvent): boolean {
  return TIME.test(time) && !Number.isNaN(Date.parse(time)) && new Date(Date.parse(time)).toISOString() === time
}

function invalid(specifics: string, turnId: string): ToolturnError {
  return new ToolturnError('option_invalid', specifics, { turnId })
}
