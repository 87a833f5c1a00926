// Results that are larger than a record, as files in a folder: one folder for each turn, one file for each result, named by its
// digest. A turn's results go with its folder.

import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ToolturnError } from '../machines/errors.ts'
import { blobReference, parseBlobReference } from '../machines/ids.ts'
import type { Blobs } from '../machines/ports/world.ts'

/**
 * A blob store in a local folder, for `createRuntime({ blobs: folderBlobs('./blobs') })`. Every worker of a turn must see the same
 * folder. Only this user can read what is in it.
 *
 * @param folder made when it is not there
 */
export function folderBlobs(folder: string): Blobs {
  if (typeof folder !== 'string' || folder === '') throw new ToolturnError('option_invalid', 'A blob store needs the name of a folder.')
  const top = resolve(folder)
  return {
    put: async (turnId, digest, bytes) => {
      const reference = blobReference(turnId, digest)
      const path = pathOf(top, reference)
      if (path === null) throw new ToolturnError('option_invalid', 'A result is kept under a turn id and a SHA-256.', { turnId })
      await writeDurably(top, join(top, turnId), path, bytes)
      return reference
    },
    get: async reference => {
      const path = pathOf(top, reference)
      return path === null ? null : readThere(path)
    },
  }
}

/** Null for what names no result: nothing else becomes a path. */
function pathOf(top: string, reference: string): string | null {
  const named = parseBlobReference(reference)
  return named === null ? null : join(top, named.turnId, named.digest)
}

/** Under another name until it is whole, so that no reader finds a part of it; durable with its name when this resolves. */
async function writeDurably(top: string, folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writePart(part, bytes)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(folder)
  if (made !== undefined) await syncFolder(top)
}

async function writePart(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function readThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
