// What the bus has acknowledged and how the store learns it: by the turn's next append where there is one, else by a rare
// grouped update, so that a turn costs no commit of its own for having been published.

import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { nameOf } from './delivery.ts'

export type Acknowledgements = {
  /** The highest acknowledged version of a turn, 0 where unknown. What it says is what the next append carries. */
  readonly published: (turnId: string) => number
  /** The bus has this version. */
  readonly acknowledge: (turnId: string, version: number) => void
  /** An append was accepted, and with it what `published` last said. */
  readonly appended: (turnId: string) => void
  /** Tells the store what it does not know yet. */
  readonly close: () => Promise<void>
}

/** Well under the lag at which the relay takes a turn for forgotten, so that it does not send again what only was not told. */
const FLUSH_MS = 500
/** Turns in one update. */
const GROUP = 500
/** Turns that are remembered after the store was told, so that the next append of one knows where it stands. */
const MOST_REMEMBERED = 4096
/** Turns that are remembered in all. One that is forgotten before the store was told is published again by the relay. */
const MOST_UNTOLD = 65_536

type Known = { version: number; said: number; stored: number }

export function acknowledgements(ports: { store: Pick<Store, 'acknowledge'>; clock: Clock; log: Log }): Acknowledgements {
  const { store, clock, log } = ports
  const turns = new Map<string, Known>()
  const untold = new Set<string>()
  const closing = new AbortController()
  let flushing: Promise<void> | null = null

  const flushLater = async () => {
    while (untold.size > 0 && !closing.signal.aborted) {
      await clock.sleep(FLUSH_MS, closing.signal)
      await flush()
    }
    flushing = null
  }

  const flush = async () => {
    const telling = [...untold].map(turnId => ({ turnId, version: turns.get(turnId)?.version ?? 0 }))
    for (let from = 0; from < telling.length; from += GROUP) {
      const group = telling.slice(from, from + GROUP)
      try {
        await store.acknowledge(group)
        for (const { turnId, version } of group) stored(turnId, version)
      } catch (error) {
        log.warn('The store could not be told what was published.', { turns: group.length, error: nameOf(error) })
      }
    }
  }

  const stored = (turnId: string, version: number) => {
    const known = turns.get(turnId)
    if (known === undefined) return
    known.stored = Math.max(known.stored, version)
    if (known.stored >= known.version) untold.delete(turnId)
  }

  /** The one that was acknowledged longest ago; one that the store does not know of only when there are far too many. */
  const forgetOldest = () => {
    for (const turnId of turns.keys()) {
      if (untold.has(turnId) && turns.size <= MOST_UNTOLD) return
      turns.delete(turnId)
      untold.delete(turnId)
      if (turns.size <= MOST_REMEMBERED) return
    }
  }

  return {
    published: turnId => {
      const known = turns.get(turnId)
      if (known === undefined) return 0
      known.said = known.version
      return known.version
    },
    acknowledge: (turnId, version) => {
      const known = turns.get(turnId) ?? { version: 0, said: 0, stored: 0 }
      turns.delete(turnId)
      turns.set(turnId, known)
      known.version = Math.max(known.version, version)
      untold.add(turnId)
      if (turns.size > MOST_REMEMBERED) forgetOldest()
      flushing ??= flushLater()
    },
    appended: turnId => {
      const known = turns.get(turnId)
      if (known !== undefined) stored(turnId, known.said)
    },
    close: async () => {
      closing.abort()
      await flushing
      await flush()
    },
  }
}
