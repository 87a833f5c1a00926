// What the bus has acknowledged of each stream. The log is the outbox; this only says how far it was sent.

import type { Store } from '../machines/ports/store.ts'
import { clock } from './clock.ts'
import { statement, type Database } from './database.ts'
import { repeatable } from './faults.ts'
import { ownerless } from './ownership.ts'
import { ENDED } from './views.ts'

/** The latest acknowledged version of each named turn, in one order for all processes, so that no two wait for each other. */
function acknowledgeSql(schema: string): string {
  return `with a as (select a.turn_id, max(a.version) as version from unnest($1::uuid[], $2::int4[]) as a(turn_id, version) group by a.turn_id),
l as (
  select t.turn_id, a.version from "${schema}".turns t join a on a.turn_id = t.turn_id
  where t.published < a.version order by t.turn_id for no key update of t)
update "${schema}".turns t set
  published = greatest(t.published, least(t.version, l.version)), lagging = greatest(t.published, l.version) < t.version
from l where t.turn_id = l.turn_id`
}

export function unpublishedSql(schema: string): string {
  return `select t.turn_id::text as turn_id, t.published, t.version from "${schema}".turns t
where t.lagging and t.published < t.version and t.updated_at <= ${clock(schema)} - $1::float8 * interval '1 millisecond'
  and (t.state = any($2::text[]) or ${ownerless(schema)})
order by t.updated_at, t.turn_id limit $3::int4`
}

type Lag = { readonly turn_id: string; readonly published: number; readonly version: number }

export function outboxOf(database: Database): Pick<Store, 'unpublished' | 'acknowledge'> {
  const acknowledge = statement(acknowledgeSql(database.schema))
  const unpublished = statement(unpublishedSql(database.schema))
  return {
    unpublished: async (lagMs, limit) => {
      const rows = await repeatable(() => database.run<Lag>(unpublished, [lagMs, ENDED, limit]))
      return rows.map(({ turn_id, published, version }) => ({ turnId: turn_id, published, version }))
    },
    acknowledge: async published => {
      if (published.length === 0) return
      const columns = [published.map(each => each.turnId), published.map(each => each.version)]
      await repeatable(() => database.run(acknowledge, columns))
    },
  }
}
