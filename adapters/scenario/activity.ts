// What a worker is in the middle of. When nothing is, and nothing was just now, whatever was late has come.

import { setTimeout as sleep } from 'node:timers/promises'

export type Activity = {
  /** @returns to be called when it is over */
  readonly begin: () => () => void
  readonly during: <T>(work: () => Promise<T>) => Promise<T>
  /** True when nothing is under way and nothing begins for a moment: long enough for one thing to follow from another. */
  readonly isQuiet: () => Promise<boolean>
}

/** What follows from the end of something does so without a wait; this is many times longer. */
const MOMENT_MS = 10

export function activity(): Activity {
  let begun = 0
  let over = 0
  const begin = () => {
    begun += 1
    return () => {
      over += 1
    }
  }
  return {
    begin,
    during: async work => {
      const end = begin()
      try {
        return await work()
      } finally {
        end()
      }
    },
    isQuiet: async () => {
      const before = begun
      if (over < before) return false
      await sleep(MOMENT_MS)
      return begun === before && over === before
    },
  }
}
