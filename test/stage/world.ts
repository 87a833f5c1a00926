// Time and chance on a stage: they move only when a test moves them, and are the same in every run.

import { createHash } from 'node:crypto'
import type { Clock, Random } from '../../machines/ports/world.ts'

/** Waits up to this long are over at once: they are pauses between tries. Longer ones are deadlines, and wait for `jump`. */
const PAUSE_MS = 30_000

export type HeldClock = Clock & {
  /** Lets so much time pass. Waits that are due are over then. */
  readonly jump: (ms: number) => void
  /** The same, and no wait has heard of it yet: whoever looks at the clock sees it. */
  readonly slip: (ms: number) => void
}

export function heldClock(): HeldClock {
  let now = 0
  const waits = new Set<{ readonly due: number; readonly end: () => void }>()
  return {
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (ms <= PAUSE_MS || signal?.aborted === true) return resolve()
        const wait = { due: now + ms, end: () => resolve() }
        waits.add(wait)
        signal?.addEventListener('abort', () => {
          waits.delete(wait)
          resolve()
        })
      }),
    slip: ms => {
      now += ms
    },
    jump: ms => {
      now += ms
      for (const wait of waits) {
        if (wait.due > now) continue
        waits.delete(wait)
        wait.end()
      }
    },
  }
}

/** Ids that count, bytes that follow from a counter, and chance that is always in the middle. */
export function countedRandom(): Random {
  let turns = 0
  let workers = 0
  let drawn = 0
  return {
    turnId: () => `01900000-0000-7000-8000-${String((turns += 1)).padStart(12, '0')}`,
    workerId: () => `w${(workers += 1)}`,
    bytes: count => {
      const bytes = new Uint8Array(count)
      for (let at = 0; at < count; at += 32) {
        const block = createHash('sha256')
          .update(`bytes ${(drawn += 1)}`)
          .digest()
        bytes.set(block.subarray(0, Math.min(32, count - at)), at)
      }
      return bytes
    },
    fraction: () => 0.5,
  }
}
