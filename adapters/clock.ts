// Time and chance of the machine this process runs on.

import { randomBytes } from 'node:crypto'
import { setTimeout as later } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import type { Clock, Random } from '../machines/ports/world.ts'

/** The longest wait that a timer of the platform can hold; longer ones are made of several. */
const TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    for (let left = ms; left > 0 && signal?.aborted !== true; left -= TIMER_MS) {
      await later(Math.min(left, TIMER_MS), undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
  },
}

export const systemRandom: Random = {
  turnId: () => uuidv7(),
  workerId: () => uuidv7(),
  bytes: count => randomBytes(count),
  fraction: () => Math.random(),
}
