// Who took which turn, and whether the claims that came to nothing had a cause: a turn is parked after five of them, and only for
// a reason.

import type { Claimed } from '../../machines/ports/store.ts'
import type { Process } from './process.ts'
import { isHardOnAll, type Plan } from './plan.ts'

export type Claims = {
  readonly took: (process: Process, claims: readonly Claimed[]) => void
  /** An append was accepted: the claims before it came to something. */
  readonly cleared: (turnId: string) => void
  /** The process whose last claim of this turn came to nothing although nothing befell it; null where each claim had a cause. */
  readonly idle: (turnId: string) => Process | null
  readonly count: (turnId: string) => number
}

export function newClaims(plan: Plan): Claims {
  const fruitless = new Map<string, Process[]>()
  return {
    took: (process, claims) => {
      for (const { turnId } of claims) fruitless.set(turnId, [...(fruitless.get(turnId) ?? []), process])
    },
    count: turnId => fruitless.get(turnId)?.length ?? 0,
    cleared: turnId => void fruitless.delete(turnId),
    idle: turnId => {
      return isHardOnAll(plan) ? null : (fruitless.get(turnId)?.find(process => !process.life.hadTrouble() && !process.drains) ?? null)
    },
  }
}
