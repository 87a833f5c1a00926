// Streams and rows read page by page, so that what goes over many of them holds one page in memory.

import type { StoredEvent } from './events.ts'
import type { ListFilter, TurnRow } from './ports/rows.ts'
import type { Store } from './ports/store.ts'

const EVENTS_PAGE = 200
const ROWS_PAGE = 200

/** The events of a turn, in order, up to where its stream ends when it is read there. */
export async function* eventsOf(store: Store, turnId: string): AsyncGenerator<StoredEvent> {
  for (let version = 0; ; ) {
    const page = await store.read(turnId, version, EVENTS_PAGE)
    yield* page
    version = page.at(-1)?.version ?? version
    if (page.length < EVENTS_PAGE) return
  }
}

/** The rows that a filter names, newest first. Turns that are opened meanwhile are left out. */
export async function* rowsOf(store: Store, filter: Omit<ListFilter, 'limit' | 'cursor'>): AsyncGenerator<TurnRow> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.list({ ...filter, limit: ROWS_PAGE, ...(cursor === undefined ? {} : { cursor }) })
    yield* page.turns
    cursor = page.next
  }
}
