// The feed gives nothing that a late commit could still get in front of, and knows a database that is not the one of its cursor.

import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StoredEvent } from '../../machines/events.ts'
import type { FeedPage, Store } from '../../machines/ports/store.ts'
import { migratePostgres, openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { withSession } from './postgres-rows.ts'
import { upTo } from './stage.ts'
import { appendAt, newTurn, placeBehind, roundFailed } from './streams.ts'

describeWithPostgres('the feed', url => {
  let store: Store

  beforeEach(async () => {
    store = await openPostgres(url, { schema: freshSchema(), migrate: true })
  })
  afterEach(() => store.close())

  it('waits for a transaction that was left open, and the health names who holds it', async () => {
    const turn = newTurn()
    const append = appendAt(placeBehind(turn))
    await withSession(url, async session => {
      await session.query('begin')
      const { rows } = await session.query('select pg_current_xact_id(), pg_backend_pid() as pid, current_database() as database')
      await store.open(turn)
      await store.append(append)
      expect((await store.feed(null, 100)).events).toEqual([])
      const { pid, database } = rows[0]
      expect((await store.health()).horizon).toContainEqual({ pid, database, since: expect.any(Number) })
      await session.query('commit')
    })
    expect(await firstEvents(2)).toEqual([...turn.events, ...append.events])
  })

  it('may be read in pages that begin and end inside an append', async () => {
    const turns = upTo(3).map(() => newTurn())
    await Promise.all(turns.map(turn => store.open(turn)))
    await Promise.all(turns.map(turn => store.append(appendAt(placeBehind(turn), { facts: upTo(5).map(roundFailed) }))))
    const whole = await firstEvents(18)
    let cursor: string | null = null
    for (const event of whole) {
      const page: FeedPage = await store.feed(cursor, 1)
      expect(page.events).toEqual([event])
      cursor = page.cursor
    }
    for (const turn of turns) {
      expect(whole.filter(event => event.turnId === turn.turnId).map(event => event.version)).toEqual(upTo(6))
    }
  })

  it('refuses a cursor of another schema of the same cluster', async () => {
    const other = await openPostgres(url, { schema: freshSchema(), migrate: true })
    await expect(store.feed(await other.feedEnd(), 1)).rejects.toMatchObject({ code: 'store_replaced' })
    await other.close()
  })

  it('is renumbered by a migration when the tables were restored into a cluster that counts lower', async () => {
    const restored = freshSchema()
    const first = await openPostgres(url, { schema: restored, migrate: true })
    const turn = newTurn()
    await first.open(turn)
    await first.append(appendAt(placeBehind(turn)))
    await first.close()
    await withSession(url, session => session.query(`update "${restored}".appends set xid = (xid::text::int8 + 1000000000000)::text::xid8`))
    await expect(openPostgres(url, { schema: restored })).rejects.toMatchObject({ code: 'schema_unmigrated' })
    await migratePostgres(url, { schema: restored })
    await store.close()
    store = await openPostgres(url, { schema: restored })
    expect((await firstEvents(2)).map(event => event.version)).toEqual([1, 2])
  })

  /** Reads on until so many came: other transactions of the cluster may hold the feed for a while. */
  async function firstEvents(count: number): Promise<StoredEvent[]> {
    const events: StoredEvent[] = []
    let cursor: string | null = null
    while (events.length < count) {
      const page: FeedPage = await store.feed(cursor, 100)
      cursor = page.cursor
      events.push(...page.events)
    }
    return events
  }
})
