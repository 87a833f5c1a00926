// What is kept warm from run to run: processes that are up already, and an embedded store that is made already.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processes, type Processes } from './processes.ts'

export type Warm = {
  readonly processes: Processes
  /** The folder of an embedded store with nothing in it: copying it is many times faster than making another one. */
  readonly emptyStore: () => Promise<string>
  readonly close: () => Promise<void>
}

/** @param make makes an embedded store in a folder, and lets go of it */
export function keepWarm(make: (folder: string) => Promise<void>): Warm {
  const workers = processes()
  const folders: string[] = []
  let made: Promise<string> | undefined
  const makeOne = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolturn-scenario-empty-'))
    folders.push(folder)
    await make(folder)
    return folder
  }
  return {
    processes: workers,
    emptyStore: () => (made ??= makeOne()),
    close: async () => {
      await workers.close()
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    },
  }
}
