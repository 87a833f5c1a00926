// What processes have out: runs of tools and asks of the model. A cancel must reach them soon, wherever it was decided.

import type { Process } from './process.ts'
import { shortName, type Stage } from './stage.ts'

export type Errand = { readonly turnId: string; readonly process: Process; readonly signal: AbortSignal; readonly what: string }

export type Errands = {
  /** @returns what takes it off again */
  readonly begin: (errand: Errand) => () => void
  readonly of: (turnId: string) => readonly Errand[]
}

export function newErrands(): Errands {
  const out = new Set<Errand>()
  return {
    begin: errand => {
      out.add(errand)
      return () => void out.delete(errand)
    },
    of: turnId => [...out].filter(each => each.turnId === turnId),
  }
}

/** A heartbeat, and a little. */
const SOON_MS = 6_000

/** Looks, when a turn has begun to be cancelled, whether its owner hears of it in time. */
export function expectCancel(stage: Stage, turnId: string): void {
  const { errands, time, plan } = stage
  const now = errands.of(turnId)
  if (now.length === 0 || plan.storeOutages || plan.clockJumps || plan.latencyMs > 20) return
  time.after(SOON_MS, () => {
    const stays = errands.of(turnId).find(each => now.includes(each) && !each.signal.aborted && !each.process.life.hadTrouble())
    if (stays !== undefined) stage.broken(`${shortName(turnId)}: G4: a cancel does not reach ${stays.what} of ${stays.process.name}`)
  })
}
