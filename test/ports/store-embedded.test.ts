// The store in a folder passes the suite of the port; and only one process at a time has the folder.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../../store/embedded.ts'
import { storeSuite } from './store-suite.ts'
import { appendAt, newTurn, placeBehind } from './streams.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const folders: string[] = []

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-'))
  folders.push(folder)
  return folder
}

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

describe('the embedded store', () => {
  storeSuite(async () => {
    const store = await openEmbedded(await freshFolder(), silent)
    return { stores: [store, store], foreign: cursor => cursor.replace(/^\d+/, '1'), tellsWakes: true }
  })
})

describe('the folder of an embedded store', () => {
  it('keeps what was accepted when it is closed and opened again', { timeout: 60_000 }, async () => {
    const folder = await freshFolder()
    const turn = newTurn()
    const first = await openEmbedded(folder, silent)
    await first.open(turn)
    const append = appendAt(placeBehind(turn))
    expect(await first.append(append)).toEqual({ answer: 'accepted' })
    await first.close()
    const second = await openEmbedded(folder, silent)
    expect(await second.read(turn.turnId)).toEqual([...turn.events, ...append.events])
    await second.close()
  })

  it('is refused to whoever comes second, who is told who has it', { timeout: 60_000 }, async () => {
    const folder = await freshFolder()
    const store = await openEmbedded(folder, silent)
    await expect(openEmbedded(folder, silent)).rejects.toMatchObject({ code: 'store_locked', details: { pid: process.pid } })
    await store.close()
    await (await openEmbedded(folder, silent)).close()
  })

  it('is free as soon as its holder was killed, with all that was accepted', { timeout: 60_000 }, async () => {
    const folder = await freshFolder()
    const holder = fork(new URL('./store-embedded-holder.ts', import.meta.url))
    holder.send(folder)
    const [turnId] = (await once(holder, 'message')) as [string]
    await expect(openEmbedded(folder, silent)).rejects.toMatchObject({ code: 'store_locked', details: { pid: holder.pid } })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const store = await openEmbedded(folder, silent)
    expect((await store.read(turnId)).map(event => event.type)).toEqual(['turn.opened'])
    await store.close()
  })

  it('lets a closed store answer nothing more', { timeout: 60_000 }, async () => {
    const store = await openEmbedded(await freshFolder(), silent)
    const turn = newTurn()
    await store.open(turn)
    await store.close()
    await expect(store.read(turn.turnId)).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(store.append(appendAt(placeBehind(turn)))).rejects.toMatchObject({ code: 'store_unreachable' })
  })
})
