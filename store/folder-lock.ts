// One process at a time on a folder, under a lock that the kernel frees when its holder dies, however it dies.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ToolturnError } from '../machines/errors.ts'

export type FolderLock = { readonly release: () => void }

const SQLITE_BUSY = 5

/**
 * Takes the folder, making it if need be. The lock is SQLite's, on a file of its own; who holds it is noted beside it for people.
 *
 * @throws ToolturnError `store_locked` with the holder's `pid` in its details
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true })
  const note = join(folder, 'holder.pid')
  const database = new DatabaseSync(join(folder, 'holder.lock'))
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new ToolturnError('store_locked', '', { folder, pid: holderOf(note) })
  }
  writeFileSync(note, String(process.pid))
  return { release: () => database.close() }
}

/** Null while the holder has not yet written its note. */
function holderOf(note: string): number | null {
  try {
    const pid = Number(readFileSync(note, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
