// Workers in this process, one after the other on one store. A death is simulated: nothing gets through to the worker or from it any more.

import { createRuntime } from '../../adapters/host.ts'
import { silentLog } from '../../adapters/log.ts'
import { gate, gatedStore } from '../../adapters/scenario/gate.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { MemoryDatabase } from '../../store/memory.ts'
import { memory } from '../../store/memory-source.ts'
import type { Effects } from '../kills/effects.ts'
import { plansIn, stoppingStore, type At } from '../kills/stops.ts'
import { castOf } from './cast.ts'
import { deathIn } from './deaths.ts'
import type { Recorded, Stretch } from './recorded.ts'

export type Life = {
  readonly runtime: Runtime
  readonly worker: string
  /** Resolves when it dies. */
  readonly died: Promise<void>
  readonly isDead: () => boolean
}

/**
 * Begins to work.
 *
 * @param dies the stretch in which it dies, where its death stands
 * @param dead the one before it, whose lease is ended
 */
export async function begin(
  all: Recorded,
  database: MemoryDatabase,
  effects: Effects,
  dies: Stretch | undefined,
  dead: Life | null,
): Promise<Life> {
  const store = await memory(database).open(silentLog)
  if (dead !== null) await store.retire(dead.worker)
  const door = gate()
  const death = deathOf(dies)
  void death.came.then(door.close)
  const at: At = async (plan, places) => {
    if (death.isAt(plan, places)) door.close()
    await door.pass()
  }
  let worker = ''
  const stopping = stoppingStore(store, at, async id => void (worker = id))
  const runtime = await createRuntime({
    ...castOf(all)({ effects, at, planOf: plansIn(store) }),
    store: { kind: 'memory', open: async () => gatedStore(stopping, door) },
  })
  // Its loops end; what waits at its door waits for ever, so nobody waits for the close.
  void death.came.then(() => runtime.close({ graceMs: 0 }))
  return { runtime, worker, died: death.came, isDead: death.hasCome }
}

/** Counts how often a worker came to the place of its death. */
function deathOf(stretch: Stretch | undefined) {
  const came = Promise.withResolvers<void>()
  const death = stretch === undefined ? null : deathIn(stretch)
  let times = 0
  return {
    came: came.promise,
    hasCome: () => death !== null && times >= death.nth,
    isAt: (plan: string, places: Parameters<At>[1]): boolean => {
      if (plan !== stretch?.plan || death === null || !places.includes(death.place)) return false
      times += 1
      if (times === death.nth) came.resolve()
      return times >= death.nth
    },
  }
}
