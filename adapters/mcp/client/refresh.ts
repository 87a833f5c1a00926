// Listing again, one list after another, and not more often than a server may ask for it.

import { DONE } from '../../../machines/actor/signals.ts'
import { systemClock } from '../../clock.ts'
import { reasonOf } from './failure.ts'
import type { McpSettings } from './options.ts'

export type Refresher = {
  /** The first list. @throws what `refresh` throws */
  readonly first: () => Promise<void>
  /** Lists again soon: several wishes become one. */
  readonly soon: () => void
  readonly end: () => void
}

/** Between two lists, however often the server says that they changed. */
const PAUSE_MS = 1_000

/** @param refresh its failure is told to the log, and what was listed before stays */
export function refresher(refresh: () => Promise<void>, { name, log }: McpSettings): Refresher {
  const over = new AbortController()
  let wished = false
  let running = false
  const run = async (): Promise<void> => {
    running = true
    while (wished && !over.signal.aborted) {
      wished = false
      await refresh().catch((error: unknown) => {
        if (over.signal.aborted) return
        log.warn('the tools of an MCP server could not be listed; they stay as they were', { server: name, error: reasonOf(error) })
      })
      await systemClock.sleep(PAUSE_MS, over.signal)
    }
    running = false
  }
  return {
    first: async () => {
      running = true
      await refresh()
      void run()
    },
    soon: () => {
      wished = true
      if (!running) void run()
    },
    end: () => over.abort(DONE),
  }
}
