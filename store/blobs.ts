// Results that are larger than a record, in a table beside the streams: each turn has its own, named by their digests (D9).

import { resultOf } from '../machines/blobs.ts'
import type { StoredEvent } from '../machines/events.ts'
import { blobReference, parseBlobReference } from '../machines/ids.ts'
import type { Blobs } from '../machines/ports/world.ts'
import { timeOfWrite } from './clock.ts'
import { statement, type Database } from './database.ts'
import { isTurnId } from './door.ts'
import { repeatable } from './faults.ts'

/** Bytes go and come as base64, the one compact form that both drivers carry alike. */
export function blobsOf(database: Database): Blobs {
  const { schema } = database
  const put = statement(`with ${timeOfWrite(schema)} insert into "${schema}".blobs (turn_id, digest, bytes)
    select $1::uuid, decode($2, 'hex'), decode($3, 'base64') from c on conflict do nothing`)
  const get = statement(`select encode(bytes, 'base64') as text from "${schema}".blobs
    where turn_id = $1::uuid and digest = decode($2, 'hex')`)
  return {
    put: async (turnId, digest, { buffer, byteOffset, byteLength }) => {
      const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
      await repeatable(() => database.run(put, [turnId, digest, text]))
      return blobReference(turnId, digest)
    },
    get: async reference => {
      const named = parseBlobReference(reference)
      if (named === null || !isTurnId(named.turnId)) return null
      const [row] = await repeatable(() => database.run<{ readonly text: string }>(get, [named.turnId, named.digest]))
      return row === undefined ? null : Buffer.from(row.text, 'base64')
    },
  }
}

/** Digests of the results that only these versions of a stream keep whole: what is to go when they are erased. */
export function blobsOnlyIn(events: readonly StoredEvent[], versions: readonly number[]): readonly string[] {
  const erased = new Set(versions)
  const kept = new Set<string>()
  const going = new Set<string>()
  for (const event of events) {
    const recorded = resultOf(event)
    if (recorded?.blob !== undefined) (erased.has(event.version) ? going : kept).add(recorded.digest)
  }
  return [...going].filter(digest => !kept.has(digest))
}
