// A turn with a large result, wherever it is kept whole: its model is given the whole, also by a worker that takes over; its replay
// misses a result that is gone or was changed.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { folderBlobs } from '../../adapters/blobs.ts'
import { silentLog } from '../../adapters/log.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Blobs } from '../../machines/ports/world.ts'
import { openEmbedded } from '../../store/embedded.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { calls, houseOn, reading, recordsIn, says, textOf, wordsIn } from './house.ts'

type Place = { readonly store: Store; readonly blobs: Blobs | 'store' }

/** Takes a kept result away, or puts other bytes in its place. */
type Harms = { readonly take: (reference: string) => Promise<unknown>; readonly change: (reference: string) => Promise<unknown> }

const folders: string[] = []

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-'))
  folders.push(folder)
  return folder
}

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const SIZE = 300_000
const text = textOf(SIZE, 'é')
const rounds = [calls('read'), says('I have read it.')]

function isGivenWhole(open: () => Promise<Place>): void {
  test('is given whole to the model, also by a worker that takes over, and is recorded short', { timeout: 60_000 }, async () => {
    const { store, blobs } = await open()
    const house = houseOn(store)
    const read = reading('read', 'at-most-once', () => text)
    const first = await house.live({ rounds, stuckAt: 2, tools: [read.tool], blobs })
    const turn = await first.runtime.spawn({ input: 'Read it.', principal: null })
    await first.stuck
    await first.die()
    const second = await house.live({ rounds, tools: [read.tool], blobs })
    await second.runtime.recover(turn.id)
    expect((await (await second.runtime.get(turn.id)).result()).state).toBe('completed')
    for (const { requests } of [first, second]) expect(wordsIn(requests.at(-1))[0] === text).toBe(true)
    expect(read.runs()).toBe(1)
    const [record] = recordsIn(await house.events(turn.id))
    expect(record).toMatchObject({ bytes: SIZE, truncated: true })
    expect(JSON.stringify(record).length).toBeLessThan(70_000)
    expect(await second.runtime.replay(turn.id)).toMatchObject({ state: 'completed', same: true, executions: 0, modelCalls: 0 })
    expect(await second.runtime.verify(turn.id)).toMatchObject({ ok: true })
    await house.close()
  })
}

function isMissed(open: () => Promise<Place & Harms>): void {
  test.each(['take', 'change'] as const)('is missed by the replay of its turn, with version and ordinal, after a %s', async harm => {
    const place = await open()
    const house = houseOn(place.store)
    const read = reading('read', 'read-only', () => text)
    const { runtime } = await house.live({ rounds, tools: [read.tool], blobs: place.blobs })
    const turn = await runtime.spawn({ input: 'Read it.', principal: null })
    await turn.result()
    const event = (await house.events(turn.id)).find(each => each.type === 'call.recorded')
    await place[harm](event?.data.blob ?? '')
    expect(await runtime.replay(turn.id)).toMatchObject({
      state: 'failed',
      code: 'replay_source_missing',
      missing: { version: event?.version, ordinal: 1 },
      executions: 0,
      modelCalls: 0,
    })
    await house.close()
  })
}

describe('a large result in a folder', () => {
  const open = async () => {
    const folder = await freshFolder()
    return {
      store: openMemory(memoryDatabase()),
      blobs: folderBlobs(folder),
      take: (reference: string) => rm(join(folder, reference)),
      change: (reference: string) => writeFile(join(folder, reference), text),
    }
  }
  isGivenWhole(open)
  isMissed(open)
})

describe('a large result in the memory store', () => {
  const open = async () => {
    const database = memoryDatabase()
    const ofTurn = (reference: string) => database.blobs.get(reference.split('/')[0] ?? '')
    return {
      store: openMemory(database),
      blobs: 'store' as const,
      take: async (reference: string) => ofTurn(reference)?.clear(),
      change: async (reference: string) => ofTurn(reference)?.set(reference.split('/')[1] ?? '', new Uint8Array([1])),
    }
  }
  isGivenWhole(open)
  isMissed(open)
})

describe('a large result in the embedded store', () => {
  isGivenWhole(async () => ({ store: await openEmbedded(await freshFolder(), silentLog), blobs: 'store' }))
})

describeWithPostgres('a large result on Postgres', url => {
  const open = async () => {
    const schema = freshSchema()
    const run = async (sql: string, reference: string) => {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client
        .query(`${sql} where turn_id = $1::uuid and digest = decode($2, 'hex')`, reference.split('/'))
        .finally(() => void client.end())
    }
    return {
      store: await openPostgres(url, { schema, migrate: true }),
      blobs: 'store' as const,
      take: (reference: string) => run(`delete from "${schema}".blobs`, reference),
      change: (reference: string) => run(`update "${schema}".blobs set bytes = '\\x7b7d'`, reference),
    }
  }
  isGivenWhole(open)
  isMissed(open)
})
