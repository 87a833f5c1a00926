// What the store needs of a database, on Postgres and on PGlite alike: single statements, each committed by itself.

import { createHash } from 'node:crypto'
import type { Compilable, Kysely } from 'kysely'
import { ToolturnError } from '../machines/errors.ts'
import type { Log } from '../machines/ports/world.ts'
import type { Tables } from './schema.ts'

/** One statement's text. The same text has the same name, so a session prepares it once; without a name it is not prepared. */
export type Statement = { readonly text: string; readonly name?: string }

/** A value of a parameter, in the forms that both drivers write alike. */
export type Parameter = string | number | boolean | null | readonly (string | number | boolean | null)[]

export type Database = {
  readonly kind: 'postgres' | 'embedded'
  /** Checked by `checkedSchema`: may stand in quotes in a text. */
  readonly schema: string
  readonly log: Log
  /** Builds statements that are put together from parts, for `rowsOf`; looks into the schema by itself. Runs the migrations. */
  readonly kysely: Kysely<Tables>
  /** Runs one statement, which is committed when this resolves. Rejects with the driver's error. */
  readonly run: <Row>(statement: Statement, parameters: readonly Parameter[]) => Promise<readonly Row[]>
  /** Calls back on notifications while the session that listens is up. Returns how to stop. */
  readonly listen: (callback: (payload: string) => void) => () => void
  readonly close: () => Promise<void>
}

export function statement(text: string): Statement {
  return { text, name: `tt_${createHash('sha256').update(text).digest('hex').slice(0, 16)}` }
}

/** Runs what kysely built. Its texts are as many as there are filters, so no session keeps them. */
export function rowsOf<Row>(database: Database, query: Compilable<Row>): Promise<readonly Row[]> {
  const { sql, parameters } = query.compile()
  return database.run<Row>({ text: sql }, parameters as readonly Parameter[])
}

/** Name of the channel on which appends by writers that do not own are told. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** @throws ToolturnError `option_invalid` when the name would need more than quotes */
export function checkedSchema(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,47}$/.test(name)) return name
  throw new ToolturnError('option_invalid', 'A schema name is lower-case letters, digits and _, at most 48 of them.', { schema: name })
}
