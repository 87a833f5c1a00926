// How far a call is, told event by event while it runs: the words of the events and nothing of what they hold (D10).

import type { Event } from '../../../machines/events.ts'

export type Stages = {
  /** Resolves when all events up to this version were told. */
  readonly until: (version: number) => Promise<void>
  readonly stop: () => void
}

/**
 * Follows a turn from its first event.
 *
 * @param tell is waited for; what it throws ends the telling, and nothing else
 */
export function tellStages(follow: (stop: AbortSignal) => AsyncIterable<Event>, tell: (event: Event) => Promise<void>): Stages {
  const stopped = new AbortController()
  let wanted = Number.POSITIVE_INFINITY
  let reached = 0
  const told = (async () => {
    for await (const event of follow(stopped.signal)) {
      await tell(event)
      reached = event.version
      if (reached >= wanted) return
    }
  })().catch(() => {
    // The client has gone, or the store: the call itself finds that out.
  })
  return {
    until: async version => {
      wanted = version
      if (reached < version) await told
    },
    stop: () => stopped.abort(),
  }
}
