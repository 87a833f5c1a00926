// Work that is done some at a time; the rest waits in its order.

export type Lane = <T>(work: () => Promise<T>) => Promise<T>

export function lane(most: number): Lane {
  const waiting: (() => void)[] = []
  let free = most
  return async work => {
    if (free > 0) free -= 1
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
