// The accelerator: one session of its own that hears of appends by writers that do not own. Polling is the floor, so it may be down.

import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../machines/ports/world.ts'
import { wakeChannel } from './database.ts'
import { typedError } from './faults.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

export type Listener = {
  /** The first callback opens the session. */
  readonly listen: (callback: (turnId: string) => void) => () => void
  readonly close: () => Promise<void>
}

export function listener(pool: pg.Pool, schema: string, log: Log): Listener {
  const callbacks = new Set<(turnId: string) => void>()
  let session: Socket | undefined
  let running: Promise<void> | undefined
  const closing = new AbortController()
  const closed = () => closing.signal.aborted

  /** Resolves when the session has ended. Rejects when it could not begin. */
  async function hear(): Promise<void> {
    const socket = new Socket()
    const client = new pg.Client({ ...pool.options, stream: () => socket })
    const ended = new Promise<void>(resolve => {
      client.on('error', () => resolve())
      client.on('end', resolve)
    })
    client.on('notification', ({ payload }) => {
      for (const callback of callbacks) callback(payload ?? '')
    })
    session = socket
    try {
      await client.connect()
      await client.query(`listen "${wakeChannel(schema)}"`)
      if (!closed()) await ended
    } finally {
      session = undefined
      await client.end()
    }
  }

  async function keepHearing(): Promise<void> {
    let wait = FIRST_PAUSE_MS
    while (!closed()) {
      const began = performance.now()
      try {
        await hear()
      } catch (error) {
        if (!closed()) log.warn('not listening for wake-ups; polling goes on', { reason: typedError(error).code })
      }
      wait = performance.now() - began > LONGEST_PAUSE_MS ? FIRST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS)
      await sleep(wait, undefined, { signal: closing.signal }).catch(() => undefined /* closed while it waited */)
    }
  }

  return {
    listen: callback => {
      const own = (turnId: string) => callback(turnId)
      callbacks.add(own)
      running ??= keepHearing()
      return () => callbacks.delete(own)
    },
    close: async () => {
      closing.abort()
      // Not taken leave of: a server that is gone without a word would never answer.
      session?.destroy()
      await running
    },
  }
}
