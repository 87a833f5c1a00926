// The feed: every committed event, once, in the order of its turn, from a cursor that knows its database.

import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '../../machines/events.ts'
import type { FeedCursor, Store } from '../../machines/ports/store.ts'
import { HOUR, unique, upTo, versions, type Stage } from './stage.ts'
import { callRecorded, type Place } from './streams.ts'

export function feedSuite(stage: () => Stage): void {
  describe('the feed', () => {
    it('gives every event once and in the order of its turn, while several processes append', async () => {
      const on = stage()
      const start = await on.store.feedEnd()
      const reading = readFeed(on.other, start, 7, events => events.filter(({ tenant }) => tenant === on.tenant).length >= 120)
      await Promise.all(upTo(12).map(nth => growTo(on, nth, 10)))
      const events = (await reading).filter(({ tenant }) => tenant === on.tenant)
      expect(events).toHaveLength(120)
      const turns = Map.groupBy(events, event => event.turnId)
      expect(turns.size).toBe(12)
      for (const [turnId, own] of turns) {
        expect(versions(own)).toEqual(upTo(10))
        expect(own).toEqual(await on.store.read(turnId))
      }
    })

    it('begins with the first event of all when there is no cursor', async () => {
      const { store, open } = stage()
      const { turnId } = await open()
      const events = await readFeed(store, null, 1000, read => read.some(event => event.turnId === turnId))
      const first = events[0]
      expect(first?.version).toBe(1)
      expect((await store.feed(null, 1)).events).toEqual([first])
    })

    it('goes on behind a cursor, and stays there while nothing happens', async () => {
      const on = stage()
      const start = await on.store.feedEnd()
      await growTo(on, 1, 3)
      const mine = (events: readonly StoredEvent[]) => events.filter(({ tenant }) => tenant === on.tenant)
      await readFeed(on.store, start, 100, events => mine(events).length >= 3)
      const page = await on.store.feed(start, 2)
      expect(versions(page.events)).toEqual([1, 2])
      const rest = await on.store.feed(page.cursor, 100)
      expect(versions(rest.events)).toEqual([3])
      const idle = await on.store.feed(rest.cursor, 100)
      expect(idle.events).toEqual([])
      expect((await on.store.feed(idle.cursor, 100)).events).toEqual([])
    })

    it('shows nothing of before from its end on', async () => {
      const on = stage()
      await growTo(on, 1, 2)
      const end = await on.store.feedEnd()
      const place = await on.open()
      const events = await readFeed(on.other, end, 100, read => read.some(event => event.turnId === place.turnId))
      expect(events.filter(({ tenant }) => tenant === on.tenant).map(event => event.turnId)).toEqual([place.turnId])
    })

    it('gives erased events without their payload', async () => {
      const { store, open, write } = stage()
      const start = await store.feedEnd()
      const { turnId } = await write(await open(), { facts: [callRecorded('secret')] })
      await store.erase(turnId, [2])
      const events = await readFeed(store, start, 100, read => read.filter(event => event.turnId === turnId).length === 2)
      expect(events.find(event => event.turnId === turnId && event.version === 2)).toMatchObject({ data: null, salt: null })
    })

    it('refuses the cursor of another database', async () => {
      const { store, foreign, open } = stage()
      await open()
      const cursor = foreign(await store.feedEnd())
      await expect(store.feed(cursor, 10)).rejects.toMatchObject({ code: 'store_replaced' })
      await expect(store.feed('no cursor', 10)).rejects.toMatchObject({ code: 'option_invalid' })
    })

    it('keeps cursors by name, for every process', async () => {
      const { store, other } = stage()
      const name = unique('consumer')
      expect(await other.cursor(name)).toBeNull()
      const first = await store.feedEnd()
      await store.saveCursor(name, first)
      expect(await other.cursor(name)).toBe(first)
      await other.saveCursor(name, 'another')
      expect(await store.cursor(name)).toBe('another')
    })
  })

  describe('heads', () => {
    it('gives the ends of turns that changed since a time, in pages by turn id', async () => {
      const { store, other, tenant, open, write } = stage()
      const old = await open()
      await store.advance(HOUR)
      const since = await store.now()
      const places = await Promise.all(upTo(5).map(async () => write(await open())))
      const seen = []
      let after: string | null = null
      for (;;) {
        const page: Awaited<ReturnType<Store['heads']>> = await other.heads(since, after, 2)
        expect(page.length).toBeLessThanOrEqual(2)
        seen.push(...page.filter(head => head.tenant === tenant))
        after = page.at(-1)?.turnId ?? null
        if (after === null) break
      }
      const ids = places.map(place => place.turnId).toSorted()
      expect(seen).toEqual(ids.map(turnId => ({ turnId, tenant, version: 2 })))
      await write(old)
      const changed = await other.heads(since, null, 1000)
      expect(changed).toContainEqual({ turnId: old.turnId, tenant, version: 2 })
    })
  })
}

/** Opens a turn and lets it grow to a length, through one of the handles. */
async function growTo({ open, write }: Stage, nth: number, length: number): Promise<void> {
  let place: Place = await open()
  while (place.version < length) place = await write(place, { facts: [callRecorded(nth)] })
}

/** Reads page by page until enough was seen; a page may be empty while another transaction of the server holds the horizon. */
async function readFeed(
  store: Store,
  from: FeedCursor | null,
  limit: number,
  enough: (events: readonly StoredEvent[]) => boolean,
): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = []
  let cursor = from
  while (!enough(seen)) {
    const page = await store.feed(cursor, limit)
    expect(page.events.length).toBeLessThanOrEqual(limit)
    seen.push(...page.events)
    cursor = page.cursor
    if (page.events.length === 0) await new Promise(resolve => setTimeout(resolve, 10))
  }
  return seen
}
