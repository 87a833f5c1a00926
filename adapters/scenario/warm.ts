// What is kept warm from run to run: processes that are up already, an embedded store that is made already, and an embedded database
// that is open already, in which each run has a store of its own.

import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../machines/ports/store.ts'
import type { Log } from '../../machines/ports/world.ts'
import { processes, type Processes } from './processes.ts'

/** An embedded database that is open: a run has a store of its own in it, under a name of its own. */
export type Shared = {
  readonly open: (name: string, log: Log) => Promise<Store>
  readonly drop: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

export type Warm = {
  readonly processes: Processes
  /** The folder of an embedded store with nothing in it: copying it is many times faster than making another one. */
  readonly emptyStore: () => Promise<string>
  /** For runs that need no process of their own. */
  readonly shared: () => Promise<Shared>
  readonly close: () => Promise<void>
}

export type Makers = {
  /** Makes an embedded store in a folder, and lets go of it. */
  readonly make: (folder: string) => Promise<void>
  readonly open: (folder: string) => Promise<Shared>
}

/** @param parent the folder in which others are made; null: that of the system for what is gone afterwards */
export function keepWarm({ make, open }: Makers, parent: string | null): Warm {
  const workers = processes()
  const leaving = new AsyncDisposableStack()
  const freshFolder = async () => {
    if (parent !== null) await mkdir(parent, { recursive: true })
    const folder = await mkdtemp(join(parent ?? tmpdir(), 'toolturn-scenarios-'))
    leaving.defer(() => rm(folder, { recursive: true, force: true }))
    return folder
  }
  const emptyStore = once(async () => {
    const folder = await freshFolder()
    await make(folder)
    return folder
  })
  const shared = once(async () => {
    const folder = await freshFolder()
    await cp(await emptyStore(), folder, { recursive: true })
    const opened = await open(folder)
    leaving.defer(opened.close)
    return opened
  })
  return {
    processes: workers,
    emptyStore,
    shared,
    close: async () => {
      await workers.close()
      await leaving.disposeAsync()
    },
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined
  return () => (begun ??= work())
}
