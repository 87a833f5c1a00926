// The feed: committed events of all turns in an order that no late commit can change. And what other parts keep beside it.

import { ToolturnError } from '../machines/errors.ts'
import type { Head } from '../machines/ports/rows.ts'
import type { FeedCursor, Store } from '../machines/ports/store.ts'
import { statement, type Database } from './database.ts'
import { isTurnId } from './door.ts'
import { repeatable } from './faults.ts'
import { eventColumns, toEvent, type EventRow } from './rows.ts'

/** A place in the feed: behind the event of this transaction and position. */
type Place = { readonly identity: string; readonly xid: string; readonly position: string }

type FeedRow = EventRow & { readonly xid: string; readonly position: string }

/**
 * Everything below the oldest running transaction is decided, so what is read there stays the same for ever. Appends are found by
 * their last events; a page may begin and end inside one. `offset 0` keeps the planner from reading all events for them.
 */
export function feedSql(schema: string): string {
  return `with tails as materialized (
  select turn_id, version, append_size from "${schema}".events
  where append_size > 0 and (xid, position) > ($1::xid8, $2::int8) and xid < pg_snapshot_xmin(pg_current_snapshot())
  order by xid, position limit $3::int4)
select ${eventColumns(schema)}, e.xid::text as xid, e.position::text as position
from tails cross join lateral (
  select * from "${schema}".events i
  where i.turn_id = tails.turn_id and i.version <= tails.version and i.version > tails.version - tails.append_size offset 0) e
join "${schema}".turns t on t.turn_id = e.turn_id
where (e.xid, e.position) > ($1::xid8, $2::int8)
order by e.xid, e.position limit $3::int4`
}

/**
 * Names the database that cursors belong to: the cluster, and the schema made in it. A restored dump is another cluster.
 *
 * Where a role may not read the control data, the schema's own id has to do.
 */
export async function identityOf(database: Database): Promise<string> {
  const own = statement(`select id::text from "${database.schema}".store`)
  const [row] = await repeatable(() => database.run<{ id: string }>(own, []))
  const control = statement(`select system_identifier::text as id from pg_control_system()`)
  const cluster = await database.run<{ id: string }>(control, []).catch((error: { code?: string }) => {
    if (error.code === INSUFFICIENT_PRIVILEGE) return []
    throw error
  })
  return `${cluster[0]?.id ?? '0'}-${row?.id ?? '0'}`
}

const INSUFFICIENT_PRIVILEGE = '42501'

export function feedOf(database: Database, identity: string): Pick<Store, 'feed' | 'feedEnd' | 'heads' | 'saveCursor' | 'cursor'> {
  const statements = feedStatements(database.schema)
  const run = <Row>(text: keyof typeof statements, ...parameters: (string | number | null)[]) =>
    repeatable(() => database.run<Row>(statements[text], parameters))

  return {
    feed: async (cursor, limit) => {
      const place = cursor === null ? { identity, xid: '0', position: '0' } : placeOf(cursor, identity)
      const rows = await run<FeedRow>('page', place.xid, place.position, limit)
      const last = rows.at(-1) ?? place
      return { events: rows.map(toEvent), cursor: cursorAt({ ...last, identity }) }
    },
    feedEnd: async () => {
      const [row] = await run<{ xid: string }>('end')
      return cursorAt({ identity, xid: row?.xid ?? '0', position: '0' })
    },
    heads: async (since, after, limit) => {
      const behind = after === null || !isTurnId(after) ? null : after
      const rows = await run<{ turn_id: string; tenant: string; version: number }>('heads', since, behind, limit)
      return rows.map(({ turn_id, tenant, version }): Head => ({ turnId: turn_id, tenant, version }))
    },
    saveCursor: async (name, cursor) => {
      await run('saveCursor', name, cursor)
    },
    cursor: async name => (await run<{ cursor: string }>('cursor', name))[0]?.cursor ?? null,
  }
}

function feedStatements(schema: string) {
  return {
    page: statement(feedSql(schema)),
    end: statement(`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`),
    heads: statement(`select turn_id::text as turn_id, tenant, version from "${schema}".turns
      where changed_hour >= floor($1::float8 / 3600000) and updated_at >= to_timestamp($1::float8 / 1000)
        and ($2::uuid is null or turn_id > $2::uuid)
      order by turn_id limit $3::int4`),
    saveCursor: statement(`insert into "${schema}".feed_cursors (name, cursor) values ($1, $2)
      on conflict (name) do update set cursor = excluded.cursor`),
    cursor: statement(`select cursor from "${schema}".feed_cursors where name = $1`),
  }
}

function cursorAt({ identity, xid, position }: Place): FeedCursor {
  return `${identity}:${xid}:${position}`
}

/** @throws ToolturnError `option_invalid` for a text that is no cursor, `store_replaced` for one of another database */
function placeOf(cursor: FeedCursor, identity: string): Place {
  const match = /^([0-9a-f-]+):(\d{1,20}):(\d{1,19})$/.exec(cursor)
  if (match === null) throw new ToolturnError('option_invalid', 'This is no cursor of a feed.')
  if (match[1] !== identity) throw new ToolturnError('store_replaced', '', { cursor: match[1], store: identity })
  return { identity, xid: match[2] as string, position: match[3] as string }
}
