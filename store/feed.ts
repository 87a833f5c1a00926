// The feed: committed events of all turns in an order that no late commit can change. And what other parts keep beside it.

import { ToolturnError } from '../machines/errors.ts'
import type { Head } from '../machines/ports/rows.ts'
import type { FeedCursor, Store } from '../machines/ports/store.ts'
import { statement, type Database } from './database.ts'
import { isTurnId } from './door.ts'
import { repeatable } from './faults.ts'
import { eventColumns, OPENED, toEvent, type EventRow } from './event-rows.ts'

/** A place in the feed: behind so many events of the append of this transaction and position. */
type Place = { readonly identity: string; readonly xid: string; readonly position: string; readonly at: number }

type FeedRow = EventRow & { readonly xid: string; readonly position: string; readonly at: number }

/**
 * Everything below the oldest running transaction is decided, so what is read there stays the same for ever. A page may begin and
 * end inside an append; no more of them are opened than it takes.
 */
export function feedSql(schema: string): string {
  return `with a as materialized (
  select *, sum(size) over (order by xid, position) - size as before from (
    select * from "${schema}".appends
    where (xid, position) >= ($1::xid8, $2::int8) and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by xid, position limit $4::int4 + 1) page)
select ${eventColumns(schema)}, a.xid::text as xid, a.position::text as position, e.n::int4 as at
from a join "${schema}".turns t on t.turn_id = a.turn_id ${OPENED}
where a.before < $4::int4 + $3::int4 and not (a.xid = $1::xid8 and a.position = $2::int8 and e.n <= $3::int4)
order by a.xid, a.position, a.version, e.n limit $4::int4`
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
      const place = cursor === null ? { identity, xid: '0', position: '0', at: 0 } : placeOf(cursor, identity)
      const rows = await run<FeedRow>('page', place.xid, place.position, place.at, limit)
      const last = rows.at(-1) ?? place
      return { events: rows.map(toEvent), cursor: cursorAt({ ...last, identity }) }
    },
    feedEnd: async () => {
      const [row] = await run<{ xid: string }>('end')
      return cursorAt({ identity, xid: row?.xid ?? '0', position: '0', at: 0 })
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

function cursorAt({ identity, xid, position, at }: Place): FeedCursor {
  return `${identity}:${xid}:${position}:${at}`
}

/** @throws ToolturnError `option_invalid` for a text that is no cursor, `store_replaced` for one of another database */
function placeOf(cursor: FeedCursor, identity: string): Place {
  const match = /^([0-9a-f-]+):(\d{1,20}):(\d{1,19}):(\d{1,5})$/.exec(cursor)
  if (match === null) throw new ToolturnError('option_invalid', 'This is no cursor of a feed.')
  if (match[1] !== identity) throw new ToolturnError('store_replaced', '', { cursor: match[1], store: identity })
  return { identity, xid: match[2] as string, position: match[3] as string, at: Number(match[4]) }
}
