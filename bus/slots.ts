// A bound on how much goes on at once. Who waits is let in first come, first served.

export type Slots = {
  /** Resolves when a slot is free, and holds it. */
  readonly take: () => Promise<void>
  /** Gives one back. Called once for each `take`. */
  readonly give: () => void
}

export function slots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    take: () => {
      if (free === 0) return new Promise(resolve => waiting.push(resolve))
      free -= 1
      return Promise.resolve()
    },
    give: () => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}
