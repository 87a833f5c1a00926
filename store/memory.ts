// The store in memory: for simulation, and for a runtime without servers. Lives and dies with its process.

import { ToolturnError } from '../machines/errors.ts'
import type { Store } from '../machines/ports/store.ts'
import * as writing from './memory-append.ts'
import * as keeping from './memory-blobs.ts'
import { memoryDatabase, now, type MemoryDatabase } from './memory-database.ts'
import * as feeding from './memory-feed.ts'
import * as owning from './memory-ownership.ts'
import * as viewing from './memory-views.ts'

export { memoryDatabase, type MemoryDatabase }

/**
 * A handle on a memory database, as one process has it on a server: several handles share one database, and closing one
 * leaves it to the others. Every method does its work before it returns its promise, so order of calls is order of commits.
 */
export function openMemory(database: MemoryDatabase = memoryDatabase()): Store {
  let closed = false
  const callbacks = new Set<(turnId: string) => void>()

  const on =
    <A extends unknown[], R>(work: (database: MemoryDatabase, ...args: A) => R) =>
    async (...args: A): Promise<R> => {
      if (closed) throw new ToolturnError('store_unreachable', 'The store was closed.')
      return work(database, ...args)
    }

  return {
    now: on(now),
    time: () => now(database),
    advance: on(advance),
    open: on(writing.open),
    append: on(writing.append),
    read: on(viewing.read),
    turn: on(viewing.turn),
    secrets: on(viewing.secrets),
    turnByKey: on(viewing.turnByKey),
    list: on(viewing.list),
    approvals: on(viewing.approvals),
    approval: on(viewing.approval),
    sealed: on(viewing.sealed),
    blobs: { put: on(keeping.put), get: on(keeping.get) },
    erase: on(feeding.erase),
    damage: on(feeding.damage),
    enlist: on(owning.enlist),
    heartbeat: on(owning.heartbeat),
    retire: on(owning.retire),
    claim: on(owning.claim),
    release: on(owning.release),
    feed: on(feeding.feed),
    feedEnd: on(feeding.feedEnd),
    heads: on(feeding.heads),
    saveCursor: on(feeding.saveCursor),
    cursor: on(feeding.cursor),
    unpublished: on(feeding.unpublished),
    acknowledge: on(feeding.acknowledge),
    lead: on(owning.lead),
    onWake: callback => {
      const own = (turnId: string) => callback(turnId)
      callbacks.add(own)
      database.wakeCallbacks.add(own)
      return () => {
        callbacks.delete(own)
        database.wakeCallbacks.delete(own)
      }
    },
    health: on(viewing.health),
    close: async () => {
      closed = true
      for (const callback of callbacks) database.wakeCallbacks.delete(callback)
    },
  }
}

function advance(database: MemoryDatabase, ms: number): void {
  if (!Number.isFinite(ms) || ms < 0) throw new ToolturnError('option_invalid', 'The clock only moves forward.', { ms })
  database.offset += ms
}
