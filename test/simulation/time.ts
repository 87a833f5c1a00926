// Time that only this file moves: everything that can happen happens, then the next one who waits is woken. Minutes pass in
// milliseconds, and always in the same order.

/** Waiting is free; nothing here ever looks at a real clock. */
export type Time = {
  /** Whole milliseconds since the run began. */
  readonly now: () => number
  /** Calls back after so long. @returns what takes the call back */
  readonly after: (ms: number, wake: () => void) => () => void
  /** Resolves after so long. */
  readonly pass: (ms: number) => Promise<void>
  /**
   * Lets time pass until something is so.
   *
   * @param by the time at which it is given up
   * @returns false when it was given up, or when nobody waits for anything any more
   */
  readonly passUntil: (isSo: () => boolean, by: number) => Promise<boolean>
}

type Sleeper = { readonly at: number; readonly order: number; wake: (() => void) | null }

export function simulatedTime(): Time {
  const sleepers: Sleeper[] = []
  let now = 0
  let order = 0

  const after = (ms: number, wake: () => void) => {
    const sleeper: Sleeper = { at: now + Math.max(0, Math.ceil(ms)), order: (order += 1), wake }
    push(sleepers, sleeper)
    return () => void (sleeper.wake = null)
  }

  return {
    now: () => now,
    after,
    pass: ms => new Promise(resolve => after(ms, resolve)),
    passUntil: async (isSo, by) => {
      for (;;) {
        await everythingElse()
        if (isSo()) return true
        const next = nextOf(sleepers)
        if (next === undefined || next.at > by) return false
        pop(sleepers)
        now = Math.max(now, next.at)
        next.wake?.()
      }
    },
  }
}

/** One turn of the event loop: all promises that can be kept are kept before it is over. */
function everythingElse(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** The next one whose call was not taken back; those before it are dropped. */
function nextOf(sleepers: Sleeper[]): Sleeper | undefined {
  while (sleepers[0]?.wake === null) pop(sleepers)
  return sleepers[0]
}

const before = (a: Sleeper, b: Sleeper) => a.at < b.at || (a.at === b.at && a.order < b.order)

/** The sleepers are a binary heap: the first is the one to be woken next. */
function push(heap: Sleeper[], sleeper: Sleeper): void {
  let index = heap.length
  heap.push(sleeper)
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (!before(sleeper, heap[parent] as Sleeper)) break
    heap[index] = heap[parent] as Sleeper
    index = parent
  }
  heap[index] = sleeper
}

function pop(heap: Sleeper[]): Sleeper | undefined {
  const [first] = heap
  const last = heap.pop()
  if (last === undefined || last === first) return first
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    if (left >= heap.length) break
    const right = left + 1
    const child = right < heap.length && before(heap[right] as Sleeper, heap[left] as Sleeper) ? right : left
    if (!before(heap[child] as Sleeper, last)) break
    heap[index] = heap[child] as Sleeper
    index = child
  }
  heap[index] = last
  return first
}
