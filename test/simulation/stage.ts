// What all parts of one run share.

import type { MemoryBroker } from '../../bus/memory.ts'
import type { MemoryDatabase } from '../../store/memory-database.ts'
import type { Chance } from './chance.ts'
import type { Claims } from './claims.ts'
import type { Effects } from './effects.ts'
import type { Errands } from './errands.ts'
import type { Plan } from './plan.ts'
import type { Records } from './records.ts'
import type { Time } from './time.ts'
import type { Trace } from './trace.ts'

export type Stage = {
  readonly plan: Plan
  readonly chance: Chance
  readonly time: Time
  readonly trace: Trace
  readonly database: MemoryDatabase
  readonly broker: MemoryBroker
  readonly records: Records
  readonly effects: Effects
  readonly claims: Claims
  readonly errands: Errands
  /** A rule is broken: the run fails. */
  readonly broken: (rule: string) => void
  /** True once faults have stopped and people rest. */
  readonly isCalm: () => boolean
}

/** Stands in secret arguments, and must stand nowhere else. */
export const SECRET = 'hush-hush'
/** Stands in arguments that are written in a text, where no call may be read from. */
export const IN_TEXT = 'from-a-text'

/** The short name of a turn in lines. */
export function shortName(turnId: string): string {
  return turnId.slice(-4)
}
