// The line to one server: opened when it is needed, and again when it was lost, after longer and longer pauses. It never sends a call
// twice: whoever made the call hears that it is lost.

import { aborted, DONE } from '../../../machines/actor/signals.ts'
import { systemClock } from '../../clock.ts'
import { connect, type Connection } from './connection.ts'
import { reasonOf } from './failure.ts'
import type { McpSettings } from './options.ts'
import { pauseMs } from './pause.ts'

export type Link = {
  /** A connection that is good as far as is known. @throws Error where there is none to be had; nothing was sent then */
  readonly connected: (signal: AbortSignal) => Promise<Connection>
  /** A request over it failed for no reason of its own: the next ones go over a new one. */
  readonly giveUp: (connection: Connection) => void
  readonly close: () => Promise<void>
}

/** Tries to come back while nobody asks for it; after them only a call tries. */
const REVIVALS = 10

/** @param mayHaveChanged called when the tools may be others: at a notice, and when none could be heard */
export function openLink(settings: McpSettings, mayHaveChanged: () => void): Link {
  const { name: server, log } = settings
  const over = new AbortController()
  let current: Connection | null = null
  let opening: Promise<Connection> | null = null
  let wasLegacy: boolean | null = null
  let reviving = false

  const lost = (connection: Connection): void => {
    if (current !== connection) return
    current = null
    if (over.signal.aborted) return
    log.warn('the connection to an MCP server was lost', { server })
    void revive()
  }
  const open = async (): Promise<Connection> => {
    if (over.signal.aborted) throw new Error('the source is closed')
    const connection = await connect(settings, wasLegacy === true, over.signal, { lost, mayHaveChanged })
    if (over.signal.aborted) await connection.close()
    if (!connection.isOpen()) throw new Error('the connection did not last')
    current = connection
    if (wasLegacy !== null) mayHaveChanged()
    wasLegacy = connection.client.getProtocolEra() === 'legacy'
    return connection
  }
  const opened = (): Promise<Connection> => {
    opening ??= open().finally(() => {
      opening = null
    })
    return opening
  }
  async function revive(): Promise<void> {
    if (reviving) return
    reviving = true
    for (let tries = 1; tries <= REVIVALS && current === null && !over.signal.aborted; tries += 1) {
      await systemClock.sleep(pauseMs(tries), over.signal)
      if (current !== null || over.signal.aborted) break
      await opened().catch((error: unknown) => log.warn('an MCP server could not be reached', { server, tries, error: reasonOf(error) }))
    }
    reviving = false
  }
  return {
    connected: async signal => current ?? orAborted(opened(), signal),
    giveUp: connection => {
      connection.retire()
      lost(connection)
    },
    close: async () => {
      over.abort(DONE)
      const [held, coming] = [current, opening]
      current = null
      await Promise.all([held?.close(), coming?.then(connection => connection.close()).catch(() => undefined)])
    },
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController()
  const gone = aborted(signal, done.signal).then(() => Promise.reject(new Error('it was given up')))
  return Promise.race([work, gone]).finally(() => {
    gone.catch(() => undefined)
    done.abort(DONE)
  })
}
