// Places in the course of a turn at which its worker can be held up: to be killed there, or stopped there and let go on.

import type { EventType } from '../../machines/events.ts'
import type { Store } from '../../machines/ports/store.ts'

/** Around the append of such an event, inside a tool before and after its deed, and inside `reconcile` behind its fence. */
export type Place = `before ${EventType}` | `after ${EventType}` | 'begun' | 'done' | 'fenced'

/** Told by a worker wherever it comes; it goes on when this resolves. */
export type At = (plan: string, places: readonly Place[]) => Promise<void>

/** The stops of every plan, kept by whoever outlives the workers. */
export type Stops = {
  readonly at: At
  /** Whether a worker stands at a stop of the plan (`held`), has yet to come to one (`ahead`), or meets none any more. */
  readonly of: (plan: string) => 'held' | 'ahead' | 'none'
  /** How many plans are held. */
  readonly held: () => number
  /** Whoever stood at a stop is dead: the next stop of each of those plans is awaited. */
  readonly moveOn: () => void
  /** Whoever stands at a stop goes on. */
  readonly letGo: () => void
}

/** @param plans the stops of each, in the order in which they are to be come to: each by another worker */
export function stopsOf(plans: ReadonlyMap<string, readonly Place[]>): Stops {
  const left = new Map([...plans].map(([plan, places]) => [plan, [...places]]))
  const held = new Map<string, PromiseWithResolvers<void>>()
  const moveOn = () => {
    for (const plan of held.keys()) left.get(plan)?.shift()
    const gone = [...held.values()]
    held.clear()
    return gone
  }
  return {
    at: async (plan, places) => {
      const next = left.get(plan)?.[0]
      if (next === undefined || held.has(plan) || !places.includes(next)) return
      const stop = Promise.withResolvers<void>()
      held.set(plan, stop)
      await stop.promise
    },
    of: plan => {
      if (held.has(plan)) return 'held'
      return left.get(plan)?.length ? 'ahead' : 'none'
    },
    held: () => held.size,
    moveOn: () => void moveOn(),
    letGo: () => {
      for (const stop of moveOn()) stop.resolve()
    },
  }
}

/** The plan that a turn belongs to, as it is labelled; it never changes. */
export function plansIn(store: Pick<Store, 'turn'>): (turnId: string) => Promise<string> {
  const known = new Map<string, string>()
  return async turnId => {
    const plan = known.get(turnId) ?? (await store.turn(turnId))?.labels['plan'] ?? ''
    known.set(turnId, plan)
    return plan
  }
}

/** A store whose appends tell where they are, and which tells under what ids leases are taken. */
export function stoppingStore(store: Store, at: At, onEnlist: (worker: string) => Promise<void>): Store {
  const planOf = plansIn(store)
  return {
    ...store,
    append: async append => {
      const plan = await planOf(append.turnId)
      const types = append.events.map(event => event.type as EventType)
      await at(
        plan,
        types.map(type => `before ${type}` as const),
      )
      const answer = await store.append(append)
      if (answer.answer === 'accepted')
        await at(
          plan,
          types.map(type => `after ${type}` as const),
        )
      return answer
    },
    enlist: async (worker, ...given) => {
      await onEnlist(worker)
      await store.enlist(worker, ...given)
    },
  }
}
