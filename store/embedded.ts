// The store in a folder, on PGlite: Postgres inside this process. It survives the death of the process, not a power cut.

import type { Store } from '../machines/ports/store.ts'
import type { Log } from '../machines/ports/world.ts'
import { takeFolder, type EmbeddedFolder } from './embedded-folder.ts'
import type { StoreSource } from './source.ts'

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
  const taken = await takeFolder(folder)
  try {
    return await openIn(taken, log)
  } catch (error) {
    await taken.close()
    throw error
  }
}

async function openIn(taken: EmbeddedFolder, log: Log): Promise<Store> {
  const store = await taken.open(SCHEMA, log)
  // Whoever held a lease in this folder is dead: the folder could not have been taken otherwise.
  await taken.endLeases(SCHEMA)
  return { ...store, close: () => store.close().then(taken.close) }
}
