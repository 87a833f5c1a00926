// A worker in a process of its own: a runtime that drives, and does what its parent asks of it over the channel between them.

import { silentLog } from '../../adapters/log.ts'
import { createRuntime, type HostOptions } from '../../adapters/host.ts'
import { link } from '../../adapters/scenario/link.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { openEffects, type Effects } from './effects.ts'
import { busAt, storeAt, type Room } from './room.ts'
import { plansIn, stoppingStore, type At } from './stops.ts'

/** What a fresh process is told. */
export type Order = Room & {
  /** Workers that died on this store; their leases are ended first. */
  readonly dead: readonly string[]
  /** True: the parent is asked at every place whether to go on. */
  readonly watched: boolean
}

/** What the model and the tools of a test are given. */
export type Setting = {
  readonly effects: Effects
  readonly at: At
  readonly planOf: (turnId: string) => Promise<string>
}
export type Cast = Required<Pick<HostOptions, 'model' | 'tools'>> & Pick<HostOptions, 'system'>

/** What the parent asks: any verb of the runtime whose answer is JSON. */
export type Verb = 'spawn' | 'approve' | 'list' | 'approvals' | 'show' | 'messages' | 'recover' | 'replay' | 'verify' | 'close'

/** Serves its parent until that one is gone. */
export function serve(castOf: (setting: Setting) => Cast): void {
  let runtime: Runtime | null = null
  const parent = link(
    frame => void process.send?.(frame),
    () => ({
      begin: async (order: Order) => {
        runtime = await begin(order, castOf, (what, ...given) => parent.ask(what, ...given))
      },
      runtime: (verb: Verb, ...given: never[]) => (runtime?.[verb] as ((...given: never[]) => unknown) | undefined)?.(...given),
    }),
  )
  process.on('message', parent.receive)
  process.on('disconnect', () => process.exit())
}

type AskParent = (what: 'enlisted' | 'at', ...given: readonly unknown[]) => Promise<unknown>

async function begin(order: Order, castOf: (setting: Setting) => Cast, ask: AskParent): Promise<Runtime> {
  const { address, effects, dead, watched } = order
  const store = await storeAt(address).open(silentLog)
  for (const worker of dead) await store.retire(worker)
  const at: At = async (plan, places) => {
    if (watched) await ask('at', plan, places)
  }
  const stopping = stoppingStore(store, at, async worker => void (await ask('enlisted', worker)))
  return createRuntime({
    ...castOf({ effects: openEffects(effects), at, planOf: plansIn(store) }),
    store: { kind: address.store.kind, open: async () => stopping },
    bus: busAt(address),
  })
}
