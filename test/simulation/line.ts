// The line between a process and something outside of it: store, bus, model, tool. What was sent arrives, whatever becomes of
// the sender; what comes back reaches only a process that still runs. Faults happen at both of its ends.

import type { Chance } from './chance.ts'
import type { Life } from './life.ts'
import type { Time } from './time.ts'

/** Sends a call and resolves with its answer. `what` names it to the faults. */
export type Line = <T>(what: string, apply: () => T | Promise<T>) => Promise<T>

/** `before`: not sent yet. `after`: answered, and the answer has not reached the caller. */
export type Side = 'before' | 'after'

export type LineOptions = {
  readonly life: Life
  readonly time: Time
  readonly chance: Chance
  /** The longest that a call takes in one direction. */
  readonly latencyMs: () => number
  /** Called at both ends: here the process may die, or stand still. */
  readonly fault: (side: Side, what: string) => void
}

export function lineOf({ life, time, chance, latencyMs, fault }: LineOptions): Line {
  const underWay = (): Promise<void> | null => {
    const most = latencyMs()
    return most === 0 || chance.hit(0.3) ? null : time.pass(chance.from(0, most))
  }
  return async (what, apply) => {
    fault('before', what)
    await life.running()
    await underWay()
    const answer = await settled(apply)
    await underWay()
    await life.running()
    fault('after', what)
    await life.running()
    if ('thrown' in answer) throw answer.thrown
    return answer.value
  }
}

/** A refusal comes back the same way as an answer. */
async function settled<T>(apply: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly thrown: unknown }> {
  try {
    return { value: await apply() }
  } catch (thrown) {
    return { thrown }
  }
}
