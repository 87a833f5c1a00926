// A crew whose worker is a process that is really killed. The desk is in this process, unless the store is embedded: then the one
// process that has the store has both, and what people do goes to it over its channel.

import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../log.ts'
import type { Crew } from './crew.ts'
import { openDesk, type Desk } from './desk.ts'
import type { Faults } from './faults.ts'
import { never } from './gate.ts'
import { fileLedger } from './ledger.ts'
import type { Served } from './link.ts'
import { busAt, storeAt } from './places.ts'
import type { Plan } from './plan.ts'
import { openPost, type Post } from './post.ts'
import { ifGone, type Processes } from './processes.ts'
import { troubles } from './trouble.ts'
import { deskWitness, workerWitness, type Hands, type Sanction } from './witness.ts'

/** The desk here, the worker there: on a store that several processes have. */
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

/** Desk and worker there: on a store that one process has at a time. */
export async function crewEmbedded(plan: Plan, faults: Faults, processes: Processes, leaving: AsyncDisposableStack): Promise<Crew> {
  const ledger = fileLedger(plan.ledger)
  const trouble = troubles()
  const counter = counterOf()
  const served = (hands: Hands) => ({ ...servedToWorker(faults, hands), ...servedToDesk(faults, hands, counter) })
  const post = await openPost({ plan, watched: faults.watched, ledger, processes, withDesk: true, trouble, served })
  leaving.defer(post.close)
  return {
    desk: farDesk(post, counter),
    ledger,
    isQuiet: () => isQuiet(post),
    check: trouble.check,
  }
}

async function isQuiet({ ask }: Post): Promise<boolean> {
  return (await ask('isQuiet').catch(ifGone(false))) === true
}

function servedToWorker(faults: Faults, hands: Hands): Served {
  const { before, after } = workerWitness(faults, hands)
  return { 'worker.before': before, 'worker.after': after }
}

/** How many of the desk's visitors wait for their answer; while it closes, new ones wait outside. */
function counterOf() {
  let waiting = 0
  let open = Promise.resolve()
  return {
    open: () => open,
    during: async <T>(visit: () => Promise<T>): Promise<T> => {
      waiting += 1
      try {
        return await visit()
      } finally {
        waiting -= 1
      }
    },
    /** Lets nobody in, waits until nobody waits, and opens again when the work is done. */
    closeFor: (work: () => Promise<void>) => {
      open = (async () => {
        while (waiting > 0) await sleep(1)
        await work()
      })()
    },
  }
}

/**
 * A desk that dies with the worker. What it was to send, and has not, is asked of the fresh one again; what it has sent it also
 * answers, and only then it dies.
 */
function servedToDesk(faults: Faults, { replace }: Hands, { closeFor }: ReturnType<typeof counterOf>): Served {
  return {
    'desk.before': async (types: readonly string[]) => {
      const fate = faults.meet(types)
      if (fate !== 'die-first') return fate
      void replace()
      return never()
    },
    'desk.after': (types: readonly string[], sanction: Sanction, committed: boolean) => {
      if (!committed) faults.takeBack(types)
      else if (sanction === 'die-after') closeFor(replace)
    },
  }
}

function farDesk(post: Post, { open, during }: ReturnType<typeof counterOf>): Desk {
  const visit = <V extends keyof Desk>(verb: V) => async (...given: Parameters<Desk[V]>): Promise<Awaited<ReturnType<Desk[V]>>> => {
    for (;;) {
      await open()
      const answer = await during(() => post.ask('desk', verb, ...given).catch(ifGone(GONE)))
      if (answer !== GONE) return answer as Awaited<ReturnType<Desk[V]>>
    }
  }
  return {
    spawn: visit('spawn'),
    read: visit('read'),
    act: visit('act'),
    step: visit('step'),
    advance: visit('advance'),
    damage: visit('damage'),
    close: async () => undefined,
  }
}

const GONE = Symbol('the desk died before it could answer')
