// A store whose appends are told of before and after, so that faults strike at the very append they name.

import { ToolturnError } from '../../machines/errors.ts'
import type { OpenAnswer, Store } from '../../machines/ports/store.ts'
import { type Fate, type Faults } from './faults.ts'
import { never } from './gate.ts'

/** What a writer hears of its try. One that dies first hears nothing. */
export type Sanction = Exclude<Fate, 'die-first'>

/** Told of every append that holds an event which a fault waits for. */
export type Witness = {
  readonly watched: readonly string[]
  /** Before it is sent. Never resolves where the writer dies first. */
  readonly before: (types: readonly string[]) => Promise<Sanction>
  /** When its answer is there. Never resolves where the writer dies then. */
  readonly after: (types: readonly string[], sanction: Sanction, committed: boolean) => Promise<void>
}

type Events = readonly { readonly type: string }[]

export function witnessedStore(store: Store, witness: Witness): Store {
  const refusal = () => new ToolturnError('store_unreachable', 'The scenario says that this append fails.')
  /** @returns null where it was refused */
  const around = async <A>(events: Events, send: () => Promise<A>, commits: (answer: A) => boolean): Promise<A | null> => {
    const types = [...new Set(events.map(event => event.type))].filter(type => witness.watched.includes(type))
    if (types.length === 0) return send()
    const sanction = await witness.before(types)
    if (sanction === 'refuse') return null
    const answer = await send()
    await witness.after(types, sanction, commits(answer))
    return answer
  }
  return {
    ...store,
    append: async append => {
      const answer = await around(
        append.events,
        () => store.append(append),
        given => given.answer === 'accepted',
      )
      return answer ?? { answer: 'failed', error: refusal() }
    },
    open: async turn => {
      const answer = await around<OpenAnswer>(
        turn.events,
        () => store.open(turn),
        given => given.answer === 'opened',
      )
      if (answer === null) throw refusal()
      return answer
    },
  }
}

/** What can be done to a worker from outside. */
export type Hands = {
  /** It does nothing more, and is not dead yet. */
  readonly stop: () => void
  readonly go: () => void
  /** It is dead, its lease is over, and another one has begun. A failure is the crew's to tell. */
  readonly replace: () => Promise<void>
}

/** Watches a worker: where a fault strikes, it dies. */
export function workerWitness(faults: Faults, { replace }: Hands): Witness {
  return {
    watched: faults.watched,
    before: async types => {
      const fate = faults.meet(types)
      if (fate !== 'die-first') return fate
      void replace()
      return never()
    },
    after: async (types, sanction, committed) => {
      if (!committed) return faults.takeBack(types)
      if (sanction !== 'die-after') return
      void replace()
      return never()
    },
  }
}

/** Watches a desk that outlives the worker: around what people append, the worker dies before the sending or after the commit. */
export function deskWitness(faults: Faults, hands: Hands): Witness {
  return {
    watched: faults.watched,
    before: async types => {
      const fate = faults.meet(types)
      if (fate === 'die-after') hands.stop()
      if (fate !== 'die-first') return fate
      await hands.replace()
      return 'send'
    },
    after: async (types, sanction, committed) => {
      if (!committed) faults.takeBack(types)
      if (sanction !== 'die-after') return
      if (committed) await hands.replace()
      else hands.go()
    },
  }
}
