// The worker of a run: a runtime that drives, behind a gate at which it can be stopped, and under the eyes of a witness.

import type { Model } from '../../machines/ports/model.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { Tool } from '../../machines/tool.ts'
import { createRuntime, type HostOptions } from '../host.ts'
import { activity, type Activity } from './activity.ts'
import { brokenBus, copiedBus } from './buses.ts'
import { isBusDown } from './faults.ts'
import { gatedStore, type Gate } from './gate.ts'
import type { Ledger } from './ledger.ts'
import { optionsOf } from './options.ts'
import type { Plan } from './plan.ts'
import { witnessedStore, type Witness } from './witness.ts'

/** What a worker is given of the world. */
export type Surroundings = {
  /** Stays open when the worker is closed: others go on with it. */
  readonly store: Store
  readonly bus: NonNullable<HostOptions['bus']>
  readonly ledger: Ledger
  readonly gate: Gate
  readonly witness: Witness
  /** Told of each id under which this worker takes a lease, before it takes it. */
  readonly onEnlist: (worker: string) => void
}

export type Worker = {
  readonly runtime: Runtime
  readonly isQuiet: () => Promise<boolean>
}

export async function startWorker(plan: Plan, surroundings: Surroundings): Promise<Worker> {
  const { bus, ledger, gate } = surroundings
  const busy = activity()
  const store = storeOf(surroundings, busy)
  const { model, tools, ...options } = optionsOf(plan, ledger, busy, store.read)
  const runtime = await createRuntime({
    ...options,
    ...(model === undefined ? {} : { model: gatedModel(model, gate) }),
    tools: tools.map(tool => gatedTool(tool, gate)),
    store: { kind: plan.address.store.kind, open: async () => store },
    bus: isBusDown(plan.scenario) ? brokenBus() : copiedBus(bus, ledger, busy),
  })
  return { runtime, isQuiet: busy.isQuiet }
}

function storeOf({ store, gate, witness, onEnlist }: Surroundings, busy: Activity): Store {
  const gated = gatedStore(witnessedStore(store, witness), gate)
  return {
    ...gated,
    append: append => busy.during(() => gated.append(append)),
    read: (...asked) => busy.during(() => gated.read(...asked)),
    enlist: (worker, ...given) => {
      onEnlist(worker)
      return gated.enlist(worker, ...given)
    },
    close: async () => undefined,
  }
}

function gatedModel(model: Model, { pass }: Gate): Model {
  return { ...model, ask: (request, context) => pass().then(() => model.ask(request, context)) }
}

function gatedTool(tool: Tool, { pass }: Gate): Tool {
  return { ...tool, run: (args, call) => pass().then(() => tool.run(args, call)) }
}
