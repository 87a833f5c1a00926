// Which tries to append meet a fault. One count for all processes, kept by whoever outlives them.

import type { AppendFault, DeleteFault, Fault, Scenario } from './format.ts'

/**
 * What becomes of a try to append:
 * - `send`: nothing special
 * - `refuse`: the store says no
 * - `die-first`: the worker dies with the append not sent
 * - `die-after`: the worker dies with the append committed and nothing done since
 */
export type Fate = 'send' | 'refuse' | 'die-first' | 'die-after'

export type Faults = {
  /** The types that a fault is waiting for. An append that holds none of them needs no asking. */
  readonly watched: readonly string[]
  /** A try to append such events. @param types each that the append holds, once */
  readonly meet: (types: readonly string[]) => Fate
  /** It was no try: others were first, nothing was written, and the same events come again. */
  readonly takeBack: (types: readonly string[]) => void
}

type Armed = { readonly fault: AppendFault; readonly type: string; readonly from: number; readonly times: number; tries: number }

export function armFaults(faults: readonly Fault[]): Faults {
  const armed = faults.filter(isAppendFault).map(arm)
  return {
    watched: [...new Set(armed.map(({ type }) => type))],
    meet: types => {
      const met = armed.filter(({ type }) => types.includes(type))
      for (const each of met) each.tries += 1
      const struck = met.find(({ tries, from, times }) => tries >= from && tries < from + times)
      return struck === undefined ? 'send' : fateOf(struck.fault)
    },
    takeBack: types => {
      for (const each of armed) if (types.includes(each.type)) each.tries -= 1
    },
  }
}

function isAppendFault(fault: Fault): fault is AppendFault {
  return 'kill' in fault || 'appendFails' in fault
}

function arm(fault: AppendFault): Armed {
  const from = fault.nth ?? 1
  if ('kill' in fault) return { fault, type: fault.event, from, times: 1, tries: 0 }
  return { fault, type: fault.appendFails, from, times: fault.times ?? 1, tries: 0 }
}

function fateOf(fault: AppendFault): Fate {
  if ('appendFails' in fault) return 'refuse'
  return fault.kill === 'before' ? 'die-first' : 'die-after'
}

export function isBusDown({ faults = [] }: Scenario): boolean {
  return faults.some(fault => 'bus' in fault)
}

/** Events that are lost before the turn is replayed. */
export function deletions({ faults = [] }: Scenario): readonly DeleteFault[] {
  return faults.filter((fault): fault is DeleteFault => 'deleteRecord' in fault)
}
