// A memory store that is named and not yet opened. Gone with its process: for trying things out, and for simulation.

import { memoryDatabase, openMemory, type MemoryDatabase } from './memory.ts'
import type { StoreSource } from './source.ts'

/** @param database shared by several runtimes of this process; default one of its own */
export function memory(database: MemoryDatabase = memoryDatabase()): StoreSource {
  return { kind: 'memory', open: async () => openMemory(database) }
}
