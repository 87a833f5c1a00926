// What an operator asks first: is it there and migrated, what waits, and who holds up the feed.

import type { StoreHealth } from '../machines/ports/rows.ts'
import { statement, type Database } from './database.ts'
import { repeatable } from './faults.ts'
import { SCHEMA_NUMBER } from './migrate.ts'
import { ownerless } from './ownership.ts'
import { ENDED } from './views.ts'

const MOST_HOLDERS = 10
/** The process id of a prepared transaction, which has none. */
const PREPARED = 0

type Counts = {
  readonly open: number
  readonly parked: number
  readonly unowned: number
  readonly backlog: number
  readonly server: string
  readonly number: number
}
type Holder = { readonly pid: number; readonly database: string; readonly since: number }

export function healthOf(database: Database): () => Promise<StoreHealth> {
  const { schema, kind } = database
  const counts = statement(`select count(*) filter (where open)::float8 as open, count(*) filter (where parked)::float8 as parked,
    count(*) filter (where open and free)::float8 as unowned, coalesce(sum(greatest(version - published, 0)), 0)::float8 as backlog,
    current_setting('server_version') as server, (select max(number) from "${schema}".migrations) as number
    from (select t.version, t.published, t.parked, t.state <> all($1::text[]) as open, ${ownerless(schema)} as free from "${schema}".turns t) t`)
  const holders = statement(`select pid, database, (extract(epoch from began) * 1000)::float8 as since from (
      select pid, coalesce(datname, '') as database, xact_start as began from pg_stat_activity
      where backend_xid is not null and pid <> pg_backend_pid()
      union all select ${PREPARED}, database, prepared from pg_prepared_xacts) holders
    order by began limit ${MOST_HOLDERS}`)

  return async () => {
    const [row] = await repeatable(() => database.run<Counts>(counts, [ENDED]))
    const horizon = await repeatable(() => database.run<Holder>(holders, []))
    const { open = 0, parked = 0, unowned = 0, backlog = 0, server = '', number = 0 } = row ?? {}
    return {
      kind,
      server: `PostgreSQL ${server}`,
      migrated: number === SCHEMA_NUMBER,
      schemaVersion: number,
      turns: { open, parked, unowned },
      backlog,
      horizon: horizon.map(({ pid, database, since }) => ({ pid, database, since })),
    }
  }
}
