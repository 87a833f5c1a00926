// A crew whose worker is a process that is really killed, on a store that several processes have: the desk is in this one.

import { silentLog } from '../log.ts'
import type { Crew } from './crew.ts'
import { openDesk } from './desk.ts'
import type { Faults } from './faults.ts'
import { fileLedger } from './ledger.ts'
import type { Served } from './link.ts'
import { busAt, storeAt } from './places.ts'
import type { Plan } from './plan.ts'
import { openPost, type Post } from './post.ts'
import { ifGone, type Processes } from './processes.ts'
import { troubles } from './trouble.ts'
import { deskWitness, workerWitness, type Hands } from './witness.ts'

/** @param leaving what is to be let go of in the end is put on it */
export async function crewApart(plan: Plan, faults: Faults, processes: Processes, leaving: AsyncDisposableStack): Promise<Crew> {
  const ledger = fileLedger(plan.ledger)
  const store = await storeAt(plan.address).open(silentLog)
  leaving.defer(store.close)
  const trouble = troubles()
  const retire = async (workers: readonly string[]) => {
    for (const id of workers) await store.retire(id)
  }
  const served = (hands: Hands) => servedToWorker(faults, hands)
  const post = await openPost({ plan, watched: faults.watched, ledger, processes, withDesk: false, trouble, retire, served })
  leaving.defer(post.close)
  const desk = await openDesk(plan, { store, bus: busAt(plan.address), ledger, witness: deskWitness(faults, post.hands) })
  leaving.defer(desk.close)
  return {
    desk,
    ledger,
    isQuiet: () => isQuiet(post),
    check: trouble.check,
  }
}

/** A process that is just being killed is not quiet. */
export async function isQuiet({ ask }: Post): Promise<boolean> {
  return (await ask('isQuiet').catch(ifGone(false))) === true
}

/** What a worker's process asks about its appends. */
export function servedToWorker(faults: Faults, hands: Hands): Served {
  const { before, after } = workerWitness(faults, hands)
  return { 'worker.before': before, 'worker.after': after }
}
