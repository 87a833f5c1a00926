// Brings a schema up to this version, in one transaction, one process at a time; or prints the SQL for whoever may run it.

import { sql } from 'kysely'
import { ToolturnError } from '../machines/errors.ts'
import { statement, type Database } from './database.ts'
import { streams } from './migrations/0001-streams.ts'
import { blobs } from './migrations/0002-blobs.ts'
import { serves } from './migrations/0003-serves.ts'

export type Migration = {
  /** From 1, without gaps. */
  readonly number: number
  readonly name: string
  /** Statements in order. They may take exclusive locks: they run while the tables are small or the workers are down. */
  readonly sql: (schema: string) => readonly string[]
}

const MIGRATIONS: readonly Migration[] = [streams, blobs, serves]

/** The schema that this version reads and writes. */
export const SCHEMA_NUMBER = MIGRATIONS.length

/** The whole schema as a script that can be run as it is, on an empty database. */
export function migrationSql(schema: string): string {
  const steps = MIGRATIONS.flatMap(step => [
    `-- ${step.number} ${step.name}`,
    ...step.sql(schema).map(text => `${text};`),
    record(schema, step),
  ])
  return ['begin;', lock(schema), `create schema if not exists "${schema}";`, ledger(schema), ...steps, 'commit;', ''].join('\n')
}

/**
 * Applies what is missing. Safe to run by many processes at once, and again.
 *
 * @returns the numbers that were applied now
 * @throws ToolturnError `schema_newer` when the database is ahead of this version
 */
export async function migrate(database: Database): Promise<readonly number[]> {
  const { schema } = database
  return database.kysely.transaction().execute(async transaction => {
    const execute = async (text: string) => (await sql.raw<{ number?: number }>(text).execute(transaction)).rows
    await execute(lock(schema))
    const known = await execute(`select 1 as number from pg_namespace where nspname = '${schema}'`)
    if (known.length === 0) await execute(`create schema "${schema}"`)
    await execute(ledger(schema))
    const applied = new Set((await execute(`select number from "${schema}".migrations`)).map(row => row.number ?? 0))
    refuseNewer(schema, Math.max(0, ...applied))
    const missing = MIGRATIONS.filter(step => !applied.has(step.number))
    for (const step of missing) {
      for (const text of step.sql(schema)) await execute(text)
      await execute(record(schema, step))
    }
    await renumber(schema, execute)
    return missing.map(step => step.number)
  })
}

/**
 * Looks whether the schema is the one this version knows.
 *
 * @throws ToolturnError `schema_unmigrated` or `schema_newer`
 */
export async function requireMigrated(database: Database): Promise<void> {
  const { schema } = database
  const ask = async <Row>(text: string) => (await database.run<Row>(statement(text), []))[0]
  const there = (await ask<{ there: boolean }>(`select to_regclass('"${schema}".migrations') is not null as there`))?.there === true
  const latest = there
    ? ((await ask<{ number: number | null }>(`select max(number) as number from "${schema}".migrations`))?.number ?? 0)
    : 0
  refuseNewer(schema, latest)
  if (latest < SCHEMA_NUMBER) throw new ToolturnError('schema_unmigrated', '', { schema, found: latest, needed: SCHEMA_NUMBER })
  const restored = await ask<{ restored: boolean }>(`select ${foreignXids(schema)} as restored`)
  if (restored?.restored !== true) return
  throw new ToolturnError('schema_unmigrated', 'The tables come from another cluster; migrating renumbers their feed.', { schema })
}

/** True in a restored dump: its events name transactions that this cluster is yet to have, so the feed would wait for them. */
function foreignXids(schema: string): string {
  return `exists (select 1 from "${schema}".appends where xid >= pg_snapshot_xmax(pg_current_snapshot()))`
}

/** Puts the events of a restored dump before everything of this cluster. Positions keep their order. */
async function renumber(schema: string, execute: (text: string) => Promise<unknown>): Promise<void> {
  await execute(`update "${schema}".appends set xid = '0' where ${foreignXids(schema)}`)
}

function refuseNewer(schema: string, found: number): void {
  if (found > SCHEMA_NUMBER) throw new ToolturnError('schema_newer', '', { schema, found, known: SCHEMA_NUMBER })
}

/** Held until the transaction ends, so of many processes that start at once one migrates and the others find it done. */
function lock(schema: string): string {
  return `select pg_advisory_xact_lock(hashtextextended('toolturn ${schema}', 0));`
}

function ledger(schema: string): string {
  return `create table if not exists "${schema}".migrations (
  number int4 primary key, name text not null, applied_at timestamptz not null default now());`
}

function record(schema: string, { number, name }: Migration): string {
  return `insert into "${schema}".migrations (number, name) values (${number}, '${name}');`
}
