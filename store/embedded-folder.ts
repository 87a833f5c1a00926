// A folder with a database in it, taken by this process. There may be several stores in it, each under a schema of its own: to open
// one more beside the others costs a fraction of starting the database.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { ToolturnError } from '../machines/errors.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Log } from '../machines/ports/world.ts'
import { checkedSchema, wakeChannel, type Database } from './database.ts'
import { storeClosed, typedError } from './faults.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import type { Tables } from './schema.ts'
import { openSqlStore } from './sql-store.ts'

export type EmbeddedFolder = {
  /** Opens the store under a schema, which is brought up to date first. Closing it leaves the folder open. */
  readonly open: (schema: string, log: Log) => Promise<Store>
  /** Ends every lease of a store. */
  readonly endLeases: (schema: string) => Promise<void>
  /** Takes a store away, with all that is in it. */
  readonly drop: (schema: string) => Promise<void>
  readonly close: () => Promise<void>
}

const DATA = 'data'

/** True where a store was made in the folder, whoever has it now. */
export function isStoreIn(folder: string): boolean {
  return existsSync(join(folder, DATA))
}

/** @throws ToolturnError `store_locked` with the holder's `pid`, `store_unreachable` */
export async function takeFolder(folder: string): Promise<EmbeddedFolder> {
  if (folder === '') throw new ToolturnError('option_invalid', 'The embedded store needs the name of a folder.')
  const lock = lockFolder(folder)
  const pglite = await start(join(folder, DATA), lock)
  let closing: Promise<void> | undefined
  return {
    open: (schema, log) => openSqlStore(databaseIn(pglite, checkedSchema(schema), log), { migrate: true }),
    endLeases: async schema =>
      void (await pglite.exec(`update "${checkedSchema(schema)}".workers set alive_until = least(alive_until, now())`)),
    drop: async schema => void (await pglite.exec(`drop schema if exists "${checkedSchema(schema)}" cascade`)),
    close: () => {
      closing ??= pglite.close().finally(lock.release)
      return closing
    },
  }
}

async function start(folder: string, lock: FolderLock): Promise<PGlite> {
  try {
    return await PGlite.create(folder)
  } catch (error) {
    lock.release()
    throw new ToolturnError('store_unreachable', 'The embedded database did not start.', { folder }, error)
  }
}

function databaseIn(pglite: PGlite, schema: string, log: Log): Database {
  let closed = false
  return {
    kind: 'embedded',
    schema,
    log,
    kysely: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) }).withSchema(schema),
    run: async <Row>({ text }: Parameters<Database['run']>[0], parameters: Parameters<Database['run']>[1]) => {
      if (closed || pglite.closed) throw storeClosed()
      return (await pglite.query<Row>(text, [...parameters])).rows
    },
    listen: callback => listen(pglite, schema, callback, log),
    close: async () => {
      closed = true
    },
  }
}

/** Wake-ups in this process, heard where they were told. */
function listen(pglite: PGlite, schema: string, callback: (turnId: string) => void, log: Log): () => void {
  const listening = pglite.listen(wakeChannel(schema), callback)
  const warn = (error: unknown) => log.warn('not listening for wake-ups; polling goes on', { reason: typedError(error).code })
  listening.catch(warn)
  return () => {
    if (!pglite.closed) listening.then(stop => stop()).catch(warn)
  }
}
