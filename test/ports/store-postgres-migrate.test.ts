// Migrating: printed or run, once or again, by one process or by many, the schema is the same.

import { expect, it } from 'vitest'
import { migrationSql } from '../../store/migrate.ts'
import { migratePostgres, openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { withSession } from './postgres-rows.ts'
import { upTo } from './stage.ts'
import { newTurn } from './streams.ts'

describeWithPostgres('a migration', url => {
  it('can be printed and run by whoever may', async () => {
    const [printed, run] = [freshSchema(), freshSchema()]
    await withSession(url, session => session.query(migrationSql(printed)))
    await migratePostgres(url, { schema: run })
    expect(await shapeOf(printed)).toEqual(await shapeOf(run))
    const store = await openPostgres(url, { schema: printed })
    expect(await store.open(newTurn())).toEqual({ answer: 'opened' })
    await store.close()
  })

  it('changes nothing when it is run again', async () => {
    const schema = freshSchema()
    expect(await migratePostgres(url, { schema })).toEqual([1, 2, 3])
    const shape = await shapeOf(schema)
    expect(await migratePostgres(url, { schema })).toEqual([])
    expect(await shapeOf(schema)).toEqual(shape)
  })

  it('is run by one of many processes that start at once; the others find it done', async () => {
    const schema = freshSchema()
    const applied = await Promise.all(upTo(6).map(() => migratePostgres(url, { schema })))
    expect(applied.flat()).toEqual([1, 2, 3])
  })

  it('is asked for before a store is opened', async () => {
    await expect(openPostgres(url, { schema: freshSchema() })).rejects.toMatchObject({ code: 'schema_unmigrated' })
  })

  it('that is newer than this release keeps it out, and lets it change nothing', async () => {
    const schema = freshSchema()
    await migratePostgres(url, { schema })
    await withSession(url, session => session.query(`insert into "${schema}".migrations (number, name) values (99, 'later')`))
    await expect(openPostgres(url, { schema })).rejects.toMatchObject({ code: 'schema_newer' })
    await expect(openPostgres(url, { schema, migrate: true })).rejects.toMatchObject({ code: 'schema_newer' })
    await expect(migratePostgres(url, { schema })).rejects.toMatchObject({ code: 'schema_newer' })
  })

  it('takes no name that would need more than quotes', async () => {
    await expect(openPostgres(url, { schema: 'a"; drop' })).rejects.toMatchObject({ code: 'option_invalid' })
  })

  it('gives reports a view that looks inside payloads, also beside those that no report can look into', async () => {
    const schema = freshSchema()
    const store = await openPostgres(url, { schema, migrate: true })
    await Promise.all(['plain', 'a \0 b', 'a \ud800 b', 'the words \\u0000'].map(text => store.open(newTurn({ labels: { text } }))))
    await store.close()
    const { rows } = await withSession(url, session =>
      session.query(`select data->'labels'->>'text' as text, tenant, type from "${schema}".events_sql order by position`),
    )
    const texts = new Set(rows.map(row => row.text as string | null))
    expect(texts).toEqual(new Set(['plain', 'the words \\u0000', null]))
    expect(rows[0]).toMatchObject({ tenant: 'default', type: 'turn.opened' })
  })

  /** Tables, columns and indexes of a schema, without its name. */
  async function shapeOf(schema: string): Promise<unknown[]> {
    const { rows } = await withSession(url, session =>
      session.query(
        `
      select table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') as part
      from information_schema.columns where table_schema = $1
      union all select indexdef from pg_indexes where schemaname = $1 order by 1`,
        [schema],
      ),
    )
    return rows.map(row => (row.part as string).replaceAll(schema, 'schema'))
  }
})
