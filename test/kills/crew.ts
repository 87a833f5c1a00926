// Workers of which one after the other is killed and followed by a fresh one.

import type { Store } from '../../machines/ports/store.ts'
import type { Order } from './serve.ts'
import { NOWHERE, startWorker, type WorkerProcess } from './worker-process.ts'

export type Crew = {
  /** Resolves when all are at work, also those who follow the dead. */
  readonly complete: () => Promise<void>
  /** Kills the one that is longest at work and starts another one. Its lease is ended, or left to the clock. */
  readonly killOne: (lease: 'ended' | 'left to the clock') => Promise<void>
}

/** Hires so many workers, and waits until they are at work. */
export async function hire(size: number, order: Order, store: Store, leaving: AsyncDisposableStack): Promise<Crew> {
  const hired = Array.from({ length: size }, () => startWorker(order, leaving, NOWHERE))
  await Promise.all(hired)
  return {
    complete: async () => void (await Promise.all(hired)),
    killOne: async lease => {
      const victim = (await hired.shift()) as WorkerProcess
      await victim.kill()
      if (lease === 'ended') for (const worker of victim.enlisted()) await store.retire(worker)
      hired.push(startWorker(order, leaving, NOWHERE))
    },
  }
}
