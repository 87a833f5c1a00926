// What the bus has acknowledged and how the store learns it: by the turn's next append where there is one, else by a rare
// grouped update, so that a turn costs no commit of its own for having been published.

import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { nameOf } from './delivery.ts'

export type Acknowledgements = {
  /** The highest acknowledged version of a turn, 0 where unknown. What it says is what the next append carries. */
  readonly published: (turnId: string) => number
  /** The same for who carries it nowhere. */
  readonly known: (turnId: string) => number
  /** The bus has this version. */
  readonly acknowledge: (turnId: string, version: number) => void
  /** An append was accepted, and with it what `published` last said. */
  readonly appended: (turnId: string) => void
  /** Tells the store what it does not know yet. */
  readonly close: () => Promise<void>
}

/**
 * What no append has carried for so long is told. Well under the lag at which the relay takes a turn for forgotten, so that it
 * does not send again what only was not told.
 */
const CARRY_MS = 400
/** Between two updates. */
const FLUSH_MS = 400
/** Turns in one update. */
const GROUP = 500
/** Turns that are remembered after the store was told, so that the next append of one knows where it stands. */
const MOST_REMEMBERED = 4096
/** Turns that are remembered in all. One that is forgotten before the store was told is published again by the relay. */
const MOST_UNTOLD = 65_536

/** Versions of one turn: the highest acknowledged one, what `published` last said, what the store knows. And when to tell it. */
type Known = { version: number; said: number; stored: number; dueAt: number }

type State = {
  readonly store: Pick<Store, 'acknowledge'>
  readonly clock: Clock
  readonly log: Log
  /** In order of the last acknowledgement, the oldest first. */
  readonly turns: Map<string, Known>
  readonly untold: Set<string>
  readonly closing: AbortController
  flushing: Promise<void> | null
}

export function acknowledgements(ports: Pick<State, 'store' | 'clock' | 'log'>): Acknowledgements {
  const state: State = { ...ports, turns: new Map(), untold: new Set(), closing: new AbortController(), flushing: null }
  return {
    published: turnId => {
      const known = state.turns.get(turnId)
      if (known === undefined) return 0
      known.said = known.version
      return known.version
    },
    known: turnId => state.turns.get(turnId)?.version ?? 0,
    acknowledge: (turnId, version) => {
      const known = state.turns.get(turnId) ?? { version: 0, said: 0, stored: 0, dueAt: 0 }
      known.version = Math.max(known.version, version)
      known.dueAt = state.clock.monotonic() + CARRY_MS
      state.turns.delete(turnId)
      state.turns.set(turnId, known)
      state.untold.add(turnId)
      forgetOldest(state)
      state.flushing ??= flushUntilTold(state)
    },
    appended: turnId => stored(state, turnId, state.turns.get(turnId)?.said ?? 0),
    close: async () => {
      state.closing.abort()
      await state.flushing
      await flush(state, Infinity)
    },
  }
}

async function flushUntilTold(state: State): Promise<void> {
  while (state.untold.size > 0 && !state.closing.signal.aborted) {
    await state.clock.sleep(FLUSH_MS, state.closing.signal)
    await flush(state, state.clock.monotonic())
  }
  state.flushing = null
}

/** Tells what is due by a time. Never rejects: what the store could not be told is told the next time. */
async function flush(state: State, by: number): Promise<void> {
  const telling = [...state.untold].flatMap(turnId => {
    const known = state.turns.get(turnId)
    return known === undefined || known.dueAt > by ? [] : [{ turnId, version: known.version }]
  })
  for (let from = 0; from < telling.length; from += GROUP) {
    const group = telling.slice(from, from + GROUP)
    try {
      await state.store.acknowledge(group)
      for (const { turnId, version } of group) stored(state, turnId, version)
    } catch (error) {
      state.log.warn('The store could not be told what was published.', { turns: group.length, error: nameOf(error) })
    }
  }
}

function stored(state: State, turnId: string, version: number): void {
  const known = state.turns.get(turnId)
  if (known === undefined) return
  known.stored = Math.max(known.stored, version)
  if (known.stored >= known.version) state.untold.delete(turnId)
}

/** Those that were acknowledged longest ago; one that the store does not know of only when there are far too many. */
function forgetOldest({ turns, untold }: State): void {
  for (const turnId of turns.keys()) {
    if (turns.size <= MOST_REMEMBERED || (untold.has(turnId) && turns.size <= MOST_UNTOLD)) return
    turns.delete(turnId)
    untold.delete(turnId)
  }
}
