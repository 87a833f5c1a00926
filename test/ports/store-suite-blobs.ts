// Results that are larger than a record, beside the streams: got back byte for byte, each turn's its own, erased with what names them.

import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { describe, expect, it } from 'vitest'
import type { Fact } from '../../machines/events.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { Stage } from './stage.ts'
import { callRecorded } from './streams.ts'

type Result = { readonly digest: string; readonly bytes: Uint8Array }

function result(bytes: Uint8Array = randomBytes(300)): Result {
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}

/** The record of a call that names a kept result. */
function recordOf({ digest }: Result, blob: string, ordinal: number): Fact {
  const fact = callRecorded('short', ordinal)
  if (fact.type !== 'call.recorded') throw new Error('not the record of a call')
  return { ...fact, data: { ...fact.data, digest, truncated: true, blob } }
}

export function blobSuite(stage: () => Stage): void {
  describe('a kept result', () => {
    it.each([
      ['nothing', new Uint8Array()],
      ['every byte', Uint8Array.from({ length: 512 }, (_, byte) => byte % 256)],
      ['a part of a larger buffer', randomBytes(900).subarray(100, 500)],
    ])('is got back by every process: %s', async (_, bytes) => {
      const { store, other, open } = stage()
      const { turnId } = await open()
      const kept = result(bytes)
      const got = await other.blobs.get(await store.blobs.put(turnId, kept.digest, kept.bytes))
      expect(Buffer.from(got ?? []).equals(kept.bytes)).toBe(true)
      expect(got).not.toBeNull()
    })

    it('may be as large as the largest that is kept by default', { timeout: 120_000 }, async () => {
      const { store, open } = stage()
      const { turnId } = await open()
      const kept = result(Buffer.alloc(DEFAULT_LIMITS.blobBytes, 'a result that goes on and on, with an é now and then; '))
      const got = await store.blobs.get(await store.blobs.put(turnId, kept.digest, kept.bytes))
      expect(result(got ?? new Uint8Array()).digest).toBe(kept.digest)
    })

    it('may be kept again, also before its turn is opened', async () => {
      const { store } = stage()
      const turnId = uuid()
      const kept = result()
      const reference = await store.blobs.put(turnId, kept.digest, kept.bytes)
      expect(await store.blobs.put(turnId, kept.digest, kept.bytes)).toBe(reference)
      expect(await store.blobs.get(reference)).toEqual(expect.objectContaining({ length: 300 }))
    })

    it('is not changed by a writer or a reader that goes on writing into its bytes', async () => {
      const { store, open } = stage()
      const { turnId } = await open()
      const kept = result()
      const copy = new Uint8Array(kept.bytes)
      const reference = await store.blobs.put(turnId, kept.digest, copy)
      copy.fill(0)
      const got = await store.blobs.get(reference)
      got?.fill(0)
      expect(result((await store.blobs.get(reference)) ?? copy).digest).toBe(kept.digest)
    })

    it.each(['', 'no-reference', '../../etc/passwd', `${uuid()}/${'0'.repeat(64)}`, `${'-'.repeat(36)}/${'0'.repeat(64)}`])(
      'is not there under %j',
      async reference => {
        expect(await stage().store.blobs.get(reference)).toBeNull()
      },
    )
  })

  describe('erase', () => {
    it('takes the kept results of the turn, and those of no other one', async () => {
      const { store, open } = stage()
      const [gone, stays] = [await open(), await open()]
      const kept = result()
      const references: string[] = []
      for (const { turnId } of [gone, stays]) references.push(await store.blobs.put(turnId, kept.digest, kept.bytes))
      await store.erase(gone.turnId)
      const got = await Promise.all(references.map(reference => store.blobs.get(reference)))
      expect(got.map(bytes => bytes?.length ?? null)).toEqual([null, 300])
    })

    it('of some versions takes the kept results that only they name', async () => {
      const { store, open, write } = stage()
      const place = await open()
      const [alone, shared, left] = [result(), result(), result()]
      const references: string[] = []
      for (const { digest, bytes } of [alone, shared, left]) references.push(await store.blobs.put(place.turnId, digest, bytes))
      const [forAlone = '', forShared = '', forLeft = ''] = references
      await write(place, {
        facts: [recordOf(alone, forAlone, 1), recordOf(shared, forShared, 2), recordOf(shared, forShared, 3), recordOf(left, forLeft, 4)],
      })
      await store.erase(place.turnId, [2, 3])
      const there = () => Promise.all(references.map(async reference => (await store.blobs.get(reference)) !== null))
      expect(await there()).toEqual([false, true, true])
      await store.erase(place.turnId, [4])
      expect(await there()).toEqual([false, false, true])
    })
  })
}
