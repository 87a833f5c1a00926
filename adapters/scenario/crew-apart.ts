// A crew whose worker is a process that is really killed. The desk is in this process, unless the store is embedded: then the one
// process that has the store has both, and what people do goes to it over its channel.

import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../log.ts'
import { startChild, type Child } from './child-process.ts'
import { troubles, type Crew } from './crew.ts'
import { openDesk, type Desk } from './desk.ts'
import type { Faults } from './faults.ts'
import { never } from './gate.ts'
import { fileLedger, type Ledger } from './ledger.ts'
import { GoneError, type Served } from './link.ts'
import { storeAt } from './places.ts'
import type { Plan } from './plan.ts'
import { deskWitness, workerWitness, type Hands, type Sanction } from './witness.ts'

/** A worker process, whichever it is at present. */
type Post = {
  readonly hands: Hands
  /** Asks the present process. @throws GoneError when it died meanwhile */
  readonly ask: Child['ask']
  readonly close: () => Promise<void>
}

type PostOptions = {
  readonly plan: Plan
  readonly faults: Faults
  readonly ledger: Ledger
  readonly withDesk: boolean
  readonly trouble: ReturnType<typeof troubles>
  /** Ends the leases of the dead; absent where only the fresh process can. */
  readonly retire?: (workers: readonly string[]) => Promise<void>
  readonly served: (hands: Hands) => Served
}

async function openPost({ plan, faults, ledger, withDesk, trouble, retire, served }: PostOptions): Promise<Post> {
  const enlisted: string[] = []
  let child: Promise<Child>
  const start = async (dead: readonly string[]) => {
    const answers = { ...served(hands), enlisted: (id: string) => void enlisted.push(id) }
    return startChild({ plan, watched: faults.watched, withDesk, dead }, answers, ledger, trouble.meet)
  }
  const follow = async (old: Promise<Child>) => {
    await (await old).kill()
    const dead = enlisted.splice(0)
    await retire?.(dead)
    return start(retire === undefined ? dead : [])
  }
  const signal = (how: 'stop' | 'go') => () => void child.then(present => present[how]())
  const hands: Hands = {
    stop: signal('stop'),
    go: signal('go'),
    replace: () => {
      child = follow(child)
      return trouble.watch(async () => void (await child))
    },
  }
  child = start([])
  await child
  return {
    hands,
    ask: async (what, ...given) => (await child).ask(what, ...given),
    close: async () => (await child).kill(),
  }
}

/** The desk here, the worker there: on a store that several processes have. */
export async function crewApart(plan: Plan, faults: Faults): Promise<Crew> {
  const ledger = fileLedger(plan.ledger)
  const store = await storeAt(plan.address).open(silentLog)
  const trouble = troubles()
  const retire = async (workers: readonly string[]) => {
    for (const id of workers) await store.retire(id)
  }
  const post = await openPost({ plan, faults, ledger, withDesk: false, trouble, retire, served: hands => servedToWorker(faults, hands) })
  const desk = await openDesk(plan, store, ledger, deskWitness(faults, post.hands))
  return {
    desk,
    ledger,
    isQuiet: () => isQuiet(post),
    check: trouble.check,
    close: async () => {
      await desk.close()
      await post.close()
      await store.close()
    },
  }
}

/** Desk and worker there: on a store that one process has at a time. */
export async function crewEmbedded(plan: Plan, faults: Faults): Promise<Crew> {
  const ledger = fileLedger(plan.ledger)
  const trouble = troubles()
  const counter = counterOf()
  const served = (hands: Hands) => ({ ...servedToWorker(faults, hands), ...servedToDesk(faults, hands, counter) })
  const post = await openPost({ plan, faults, ledger, withDesk: true, trouble, served })
  return {
    desk: farDesk(post, counter),
    ledger,
    isQuiet: () => isQuiet(post),
    check: trouble.check,
    close: post.close,
  }
}

async function isQuiet({ ask }: Post): Promise<boolean> {
  return (await ask('isQuiet').catch(ifGone(false))) === true
}

function ifGone<T>(instead: T): (error: unknown) => T {
  return error => {
    if (error instanceof GoneError) return instead
    throw error
  }
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
