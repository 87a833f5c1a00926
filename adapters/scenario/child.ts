// The process that may be killed. It holds the worker; on an embedded store, which one process has at a time, the desk as well.

import { silentLog } from '../log.ts'
import { openDesk, type Desk } from './desk.ts'
import { gate, type Gate } from './gate.ts'
import { fileLedger } from './ledger.ts'
import { link, type Link } from './link.ts'
import { busAt, storeAt } from './places.ts'
import type { Plan } from './plan.ts'
import type { Sanction, Witness } from './witness.ts'
import { startWorker, type Worker } from './worker.ts'

/** What a fresh process is told. */
export type Start = {
  readonly plan: Plan
  readonly watched: readonly string[]
  readonly withDesk: boolean
  /** Workers that died on this store; their leases are ended first. */
  readonly dead: readonly string[]
}

type Running = { readonly worker: Worker; readonly desk: Desk | null; readonly close: () => Promise<void> }

let running: Running | null = null

const parent: Link = link(
  frame => void process.send?.(frame),
  () => ({
    start: async (given: Start) => {
      running = await start(given)
    },
    isQuiet: () => running?.worker.isQuiet() ?? false,
    desk: (verb: keyof Desk, ...given: never[]) => (running?.desk?.[verb] as ((...given: never[]) => unknown) | undefined)?.(...given),
    finish: () => running?.close(),
  }),
)

process.on('message', parent.receive)
process.on('disconnect', () => process.exit())

async function start({ plan, watched, withDesk, dead }: Start): Promise<Running> {
  const ledger = fileLedger(plan.ledger)
  const store = await storeAt(plan.address).open(silentLog)
  for (const id of dead) await store.retire(id)
  const bus = busAt(plan.address)
  const own = gate()
  const desk = withDesk ? await openDesk(plan, { store, bus, ledger, witness: witnessOfDesk(watched, own) }) : null
  const worker = await startWorker(plan, {
    store,
    bus,
    ledger,
    gate: own,
    witness: witnessOfWorker(watched, own),
    onEnlist: id => void parent.ask('enlisted', id),
  })
  return {
    worker,
    desk,
    close: async () => {
      await desk?.close()
      await worker.runtime.close({ graceMs: 0 })
      await store.close()
    },
  }
}

/** Where the worker dies at an append, nothing of this process goes on while the parent kills it. */
function witnessOfWorker(watched: readonly string[], { close }: Gate): Witness {
  return {
    watched,
    before: async types => (await parent.ask('worker.before', types)) as Sanction,
    after: async (types, sanction, committed) => {
      if (committed && sanction === 'die-after') close()
      await parent.ask('worker.after', types, sanction, committed)
    },
  }
}

/** Around what people append the worker stands still; the process lives until they have their answers. */
function witnessOfDesk(watched: readonly string[], { close, open }: Gate): Witness {
  return {
    watched,
    before: async types => {
      const sanction = (await parent.ask('desk.before', types)) as Sanction
      if (sanction === 'die-after') close()
      return sanction
    },
    after: async (types, sanction, committed) => {
      await parent.ask('desk.after', types, sanction, committed)
      if (!committed && sanction === 'die-after') open()
    },
  }
}
