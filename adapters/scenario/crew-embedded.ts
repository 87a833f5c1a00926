// A crew on a store that one process has at a time: desk and worker are both in the process that is killed, and what people do goes
// to it over its channel.

import { setTimeout as sleep } from 'node:timers/promises'
import { isQuiet, servedToWorker } from './crew-apart.ts'
import type { Crew } from './crew.ts'
import type { Desk } from './desk.ts'
import type { Faults } from './faults.ts'
import { never } from './gate.ts'
import { fileLedger } from './ledger.ts'
import type { Served } from './link.ts'
import type { Plan } from './plan.ts'
import { openPost, type Post } from './post.ts'
import { ifGone, type Processes } from './processes.ts'
import { troubles, type Trouble } from './trouble.ts'
import type { Hands, Sanction } from './witness.ts'

/** @param leaving what is to be let go of in the end is put on it */
export async function crewEmbedded(plan: Plan, faults: Faults, processes: Processes, leaving: AsyncDisposableStack): Promise<Crew> {
  const ledger = fileLedger(plan.ledger)
  const trouble = troubles()
  const door = doorOf()
  const served = (hands: Hands) => ({ ...servedToWorker(faults, hands), ...servedToDesk(faults, hands, door) })
  const post = await openPost({ plan, watched: faults.watched, ledger, processes, withDesk: true, trouble, served })
  leaving.defer(post.close)
  return {
    desk: farDesk(post, door, trouble),
    ledger,
    isQuiet: () => isQuiet(post),
    check: trouble.check,
  }
}

type Door = ReturnType<typeof doorOf>

/** Counts the visitors who wait for their answer; while it is closed, new ones wait outside. */
function doorOf() {
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
function servedToDesk(faults: Faults, { replace }: Hands, { closeFor }: Door): Served {
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

function farDesk(post: Post, { open, during }: Door, trouble: Trouble): Desk {
  const visit =
    <V extends keyof Desk>(verb: V) =>
    async (...given: Parameters<Desk[V]>): Promise<Awaited<ReturnType<Desk[V]>>> => {
      for (;;) {
        await open()
        const answer = await during(() => post.ask('desk', verb, ...given).catch(ifGone(GONE)))
        if (answer !== GONE) return answer as Awaited<ReturnType<Desk[V]>>
        trouble.check()
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
