// Results that are larger than a record, in memory.

import { blobReference, parseBlobReference } from '../machines/ids.ts'
import type { MemoryDatabase } from './memory-database.ts'

export function put({ blobs }: MemoryDatabase, turnId: string, digest: string, bytes: Uint8Array): string {
  const ofTurn = blobs.get(turnId) ?? new Map<string, Uint8Array>()
  blobs.set(turnId, ofTurn)
  if (!ofTurn.has(digest)) ofTurn.set(digest, new Uint8Array(bytes))
  return blobReference(turnId, digest)
}

export function get({ blobs }: MemoryDatabase, reference: string): Uint8Array | null {
  const named = parseBlobReference(reference)
  const bytes = named === null ? undefined : blobs.get(named.turnId)?.get(named.digest)
  return bytes === undefined ? null : new Uint8Array(bytes)
}
