// A clock that stands still until a test moves it, so that what happens in minutes is tested in no time.

import type { Clock } from '../../machines/ports/world.ts'

export type ManualClock = Clock & {
  /** Moves on, wakes who is due on the way in order of time, and lets each do all it can before the next. */
  readonly tick: (ms: number) => Promise<void>
  /** Moves on at once, as for a process that stood still: who was due on the way wakes at the next tick only. */
  readonly leap: (ms: number) => void
  /** Lets everything happen that needs no time. */
  readonly settle: () => Promise<void>
}

type Sleeper = { readonly due: number; readonly wake: () => void }

export function manualClock(): ManualClock {
  let now = 0
  const sleepers = new Set<Sleeper>()

  const settle = async () => {
    for (let round = 0; round < 20; round += 1) await new Promise(resolve => setImmediate(resolve))
  }
  const nextDue = (by: number) => [...sleepers].filter(({ due }) => due <= by).toSorted((a, b) => a.due - b.due)[0]

  return {
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const sleeper = {
          due: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        if (signal?.aborted === true) return resolve()
        signal?.addEventListener('abort', sleeper.wake)
        sleepers.add(sleeper)
      }),
    tick: async ms => {
      const end = now + ms
      await settle()
      for (let next = nextDue(end); next !== undefined; next = nextDue(end)) {
        now = Math.max(now, next.due)
        next.wake()
        await settle()
      }
      now = end
    },
    leap: ms => void (now += ms),
    settle,
  }
}
