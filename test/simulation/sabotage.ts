// Ways to break a run on purpose, to see that it is seen: what stands between a process and its world, put in place of the honest one.

import type { Bus } from '../../machines/ports/bus.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Tool } from '../../machines/tool.ts'
import type { MemoryDatabase } from '../../store/memory.ts'

export type Sabotage = {
  readonly store?: (store: Store, database: MemoryDatabase) => Store
  readonly bus?: (bus: Bus) => Bus
  readonly tool?: (tool: Tool) => Tool
}
