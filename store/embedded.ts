// The store in a folder, on PGlite: Postgres inside this process. It survives the death of the process, not a power cut.

import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { ToolturnError } from '../machines/errors.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Log } from '../machines/ports/world.ts'
import { wakeChannel, type Database } from './database.ts'
import { storeClosed, typedError } from './faults.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import type { Tables } from './schema.ts'
import type { StoreSource } from './source.ts'
import { openSqlStore } from './sql-store.ts'

const SCHEMA = 'toolturn'

/** What `createRuntime` is given: nothing is opened before it opens it. @param folder made when it is not there */
export function embedded(folder: string): StoreSource {
  return { kind: 'embedded', open: log => openEmbedded(folder, log) }
}

/**
 * Takes the folder for this process, starts the database in it and brings its schema up to date.
 *
 * @throws ToolturnError `store_locked` with the holder's `pid`, `schema_newer`, `store_unreachable`
 */
export async function openEmbedded(folder: string, log: Log): Promise<Store> {
  if (folder === '') throw new ToolturnError('option_invalid', 'The embedded store needs the name of a folder.')
  const lock = lockFolder(folder)
  const pglite = await start(join(folder, 'data'), lock)
  const store = await openSqlStore(embeddedDatabase(pglite, lock, log), { migrate: true })
  await endLeases(pglite)
  return store
}

/** Whoever held a lease in this folder is dead: the folder could not have been taken otherwise. */
async function endLeases(pglite: PGlite): Promise<void> {
  await pglite.exec(`update "${SCHEMA}".workers set alive_until = '-infinity'`)
}

async function start(folder: string, lock: FolderLock): Promise<PGlite> {
  try {
    return await PGlite.create(folder)
  } catch (error) {
    lock.release()
    throw new ToolturnError('store_unreachable', 'The embedded database did not start.', { folder }, error)
  }
}

function embeddedDatabase(pglite: PGlite, lock: FolderLock, log: Log): Database {
  let closing: Promise<void> | undefined

  const run = async <Row>({ text }: Parameters<Database['run']>[0], parameters: Parameters<Database['run']>[1]) => {
    if (closing !== undefined) throw storeClosed()
    return (await pglite.query<Row>(text, [...parameters])).rows
  }

  return {
    kind: 'embedded',
    schema: SCHEMA,
    log,
    kysely: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) }).withSchema(SCHEMA),
    run,
    listen: callback => listen(pglite, callback, log),
    close: () => {
      closing ??= pglite.close().finally(lock.release)
      return closing
    },
  }
}

/** Wake-ups in this process, heard where they were told. */
function listen(pglite: PGlite, callback: (turnId: string) => void, log: Log): () => void {
  const listening = pglite.listen(wakeChannel(SCHEMA), callback)
  const warn = (error: unknown) => log.warn('not listening for wake-ups; polling goes on', { reason: typedError(error).code })
  listening.catch(warn)
  return () => {
    if (!pglite.closed) listening.then(stop => stop()).catch(warn)
  }
}
