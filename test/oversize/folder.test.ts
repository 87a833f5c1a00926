// Results in a folder: whole or not there, readable by their owner only, and never outside the folder.

import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuid } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { folderBlobs } from '../../adapters/blobs.ts'

let top: string

beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'toolturn-'))
})
afterEach(() => rm(top, { recursive: true, force: true }))

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a folder of results', () => {
  test('is made when it is first needed, with a folder for each turn and a file for each result', async () => {
    const folder = join(top, 'not', 'yet', 'there')
    const blobs = folderBlobs(folder)
    const [turnId, bytes] = [uuid(), randomBytes(100)]
    expect(await blobs.get(`${turnId}/${digestOf(bytes)}`)).toBeNull()
    const reference = await blobs.put(turnId, digestOf(bytes), bytes)
    expect(reference).toBe(`${turnId}/${digestOf(bytes)}`)
    expect(await readdir(join(folder, turnId))).toEqual([digestOf(bytes)])
    expect(await readFile(join(folder, reference))).toEqual(bytes)
    expect(await folderBlobs(folder).get(reference)).toEqual(bytes)
  })

  test('can be read by its owner only', async () => {
    const [turnId, bytes] = [uuid(), randomBytes(100)]
    const reference = await folderBlobs(top).put(turnId, digestOf(bytes), bytes)
    const modes = await Promise.all([join(top, turnId), join(top, reference)].map(async path => (await stat(path)).mode & 0o777))
    expect(modes).toEqual([0o700, 0o600])
  })

  test('keeps one file of what many keep at once, and mends what was changed', async () => {
    const blobs = folderBlobs(top)
    const [turnId, bytes] = [uuid(), randomBytes(200_000)]
    const put = () => blobs.put(turnId, digestOf(bytes), bytes)
    const references = new Set(await Promise.all(Array.from({ length: 20 }, put)))
    expect([...references]).toHaveLength(1)
    const [reference = ''] = references
    expect(await readdir(join(top, turnId))).toEqual([digestOf(bytes)])
    await writeFile(join(top, reference), 'something else')
    await put()
    expect(await blobs.get(reference)).toEqual(bytes)
  })

  test('leaves nothing behind when it cannot be written', async () => {
    const [turnId, bytes] = [uuid(), randomBytes(100)]
    await mkdir(join(top, turnId, digestOf(bytes), 'in the way'), { recursive: true })
    await expect(folderBlobs(top).put(turnId, digestOf(bytes), bytes)).rejects.toThrow()
    expect(await readdir(join(top, turnId))).toEqual([digestOf(bytes)])
  })

  const OUTSIDE = ['../secret', '..', '', '/etc/passwd', `${'.'.repeat(36)}/${'0'.repeat(64)}`, `../${uuid()}/${'0'.repeat(64)}`]

  test.each(OUTSIDE)('gives nothing for %j', async reference => {
    await writeFile(join(top, 'secret'), 'CANARY')
    const folder = join(top, 'inner')
    await mkdir(folder)
    expect(await folderBlobs(folder).get(reference)).toBeNull()
  })

  test.each([
    ['..', '0'.repeat(64)],
    [uuid(), '../../escaped'],
    [uuid(), ''],
  ])('keeps nothing under %j and %j', async (turnId, digest) => {
    const folder = join(top, 'inner')
    await expect(folderBlobs(folder).put(turnId, digest, new Uint8Array())).rejects.toMatchObject({ code: 'option_invalid' })
    expect(await readdir(top)).toEqual([])
  })

  test('says at the door that it needs a name', () => {
    expect(() => folderBlobs('')).toThrow(expect.objectContaining({ code: 'option_invalid' }) as Error)
  })
})
