// One stream: its events, what is kept beside it for workers and resolvers, and what can be taken out of it.

import { blobsOnlyIn } from './blobs.ts'
import { statement, type Database } from './database.ts'
import type { Store } from '../machines/ports/store.ts'
import { isTurnId } from './door.ts'
import { repeatable } from './faults.ts'
import { damageSql, eraseSql, eventColumns, OPENED, toEvent, VERSION, type EventRow } from './event-rows.ts'

/** What the inbox showed of the turn goes with all of it, and so do results kept whole; with some versions those that only they name. */
function eraseTurnSql(schema: string): string {
  return `with ${eraseSql(schema)},
b as (delete from "${schema}".blobs where turn_id = $1::uuid and ($2::int4[] is null or encode(digest, 'hex') = any($3::text[]))),
i as (update "${schema}".approvals set arguments = 'null', reason = '' where turn_id = $1::uuid and $2::int4[] is null),
s as (delete from "${schema}".sealed where turn_id = $1::uuid and $2::int4[] is null)
select coalesce(sum(erased), 0)::int4 as count from e`
}

export function streamsOf(database: Database): Pick<Store, 'read' | 'secrets' | 'sealed' | 'erase' | 'damage'> {
  const { schema } = database
  const read = statement(`select ${eventColumns(schema)}
    from "${schema}".appends a join "${schema}".turns t on t.turn_id = a.turn_id ${OPENED}
    where a.turn_id = $1::uuid and a.version > $2::int4 and ${VERSION} > $2::int4 order by a.version, e.n limit $3::int4`)
  const secrets = statement(`select turn_key as bytes from "${schema}".turns where turn_id = $1::uuid`)
  const sealed = statement(`select box as bytes from "${schema}".sealed where turn_id = $1::uuid and ordinal = $2::int4`)
  const erase = statement(eraseTurnSql(schema))
  const damage = statement(damageSql(schema))

  const run = async <Row>(text: typeof read, turnId: string, ...more: Parameters<Database['run']>[1]) =>
    isTurnId(turnId) ? repeatable(() => database.run<Row>(text, [turnId, ...more])) : []
  const bytesOf = (rows: readonly { readonly bytes: Uint8Array }[]) => (rows[0] === undefined ? null : new Uint8Array(rows[0].bytes))

  const readOn: Store['read'] = async (turnId, after = 0, limit) => (await run<EventRow>(read, turnId, after, limit ?? null)).map(toEvent)

  return {
    read: readOn,
    secrets: async turnId => {
      const turnKey = bytesOf(await run(secrets, turnId))
      return turnKey === null ? null : { turnKey }
    },
    sealed: async (turnId, ordinal) => bytesOf(await run(sealed, turnId, ordinal)),
    erase: async (turnId, versions) => {
      const freed = versions === undefined ? [] : blobsOnlyIn(await readOn(turnId), versions)
      return (await run<{ count: number }>(erase, turnId, versions ?? null, freed))[0]?.count ?? 0
    },
    damage: async (turnId, version) => {
      await run(damage, turnId, version)
    },
  }
}
