// One connection to a server: the protocol version agreed with it, the notices it sends, and an end.

import { Client, StreamableHTTPClientTransport, type McpSubscription, type Transport } from '@modelcontextprotocol/client'
import { createRequire } from 'node:module'
import { DONE, onAbort } from '../../../machines/actor/signals.ts'
import { systemClock } from '../../clock.ts'
import { watchLists, type Malformed } from './lists.ts'
import type { McpSettings } from './options.ts'
import { pauseMs } from './pause.ts'
import { openTransport } from './transport.ts'

export type Connection = {
  readonly client: Client
  /** False once it is lost or was closed. */
  readonly isOpen: () => boolean
  /** Aborted then. */
  readonly gone: AbortSignal
  /** What was taken out of the pages of tools that were read last. */
  readonly malformed: Malformed
  /** Runs a request over it. */
  readonly during: <T>(request: () => Promise<T>) => Promise<T>
  /** Closes it behind the last request that runs. */
  readonly retire: () => void
  /** Closes it now; what runs over it is lost. */
  readonly close: () => Promise<void>
}

export type ConnectionHooks = {
  /** It is gone, and not because it was closed here. */
  readonly lost: (connection: Connection) => void
  /** The list of tools may be another one. */
  readonly mayHaveChanged: () => void
}

const { version } = createRequire(import.meta.url)('toolturn/package.json') as { readonly version: string }
const CLIENT = { name: 'toolturn', version }
/** On standard output silence is an older server. */
const MOST_PROBE_MS = 10_000
const FAREWELL_MS = 2_000
const MOST_LISTENINGS = 10
const NEVER = new AbortController().signal

/**
 * Connects, in the newest protocol version that both speak. Nothing is offered to the server: no roots, no sampling, no elicitation.
 *
 * @param isLegacy it was an older server when it was met last, and is greeted as one
 * @param over aborted when nobody wants it any more
 */
export async function connect(settings: McpSettings, isLegacy: boolean, over: AbortSignal, hooks: ConnectionHooks): Promise<Connection> {
  const { way, connectTimeoutMs } = settings
  const transport = await openTransport(way)
  const malformed = watchLists(transport)
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(MOST_PROBE_MS, Math.ceil(connectTimeoutMs / 2)) } },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, onChanged: () => hooks.mayHaveChanged() } },
  })
  const connecting = client.connect(transport, { timeout: connectTimeoutMs, ...(isLegacy ? { prior: { kind: 'legacy' } } : {}) })
  await within(connecting, connectTimeoutMs, over).catch(async (error: unknown) => {
    await transport.close().catch(() => {
      // It was not open yet.
    })
    throw error
  })
  const connection = connected(client, transport, malformed, hooks)
  void listenOn(connection, hooks)
  return connection
}

/** @throws Error when it takes longer, or is over before; what it was waiting for goes on, and nobody listens */
async function within<T>(work: Promise<T>, ms: number, over: AbortSignal): Promise<T> {
  const done = new AbortController()
  onAbort(over, () => done.abort(DONE), done.signal)
  const late = systemClock.sleep(ms, done.signal).then(() => Promise.reject(new Error('it took too long')))
  return Promise.race([work, late]).finally(() => {
    late.catch(() => undefined)
    done.abort(DONE)
  })
}

function connected(client: Client, transport: Transport, malformed: Malformed, hooks: ConnectionHooks): Connection {
  const gone = new AbortController()
  let running = 0
  let isRetired = false
  const close = async (): Promise<void> => {
    if (gone.signal.aborted) return
    gone.abort(DONE)
    if (transport instanceof StreamableHTTPClientTransport) await farewell(transport)
    await client.close().catch(() => {
      // It is gone already, and nothing more is sent over it.
    })
  }
  const connection: Connection = {
    client,
    malformed,
    gone: gone.signal,
    isOpen: () => !gone.signal.aborted && client.transport !== undefined,
    during: async request => {
      running += 1
      try {
        return await request()
      } finally {
        running -= 1
        if (isRetired && running === 0) void close()
      }
    },
    retire: () => {
      isRetired = true
      if (running === 0) void close()
    },
    close,
  }
  client.onclose = () => {
    if (gone.signal.aborted) return
    gone.abort(DONE)
    hooks.lost(connection)
  }
  return connection
}

/** Older servers keep a session until they are told that it is over. */
async function farewell(transport: StreamableHTTPClientTransport): Promise<void> {
  await within(transport.terminateSession(), FAREWELL_MS, NEVER).catch(() => {
    // The server does not hear it; its session ends by itself.
  })
}

/** Since 2026-07-28 notices come over a subscription, which the server may end; in between nobody can have heard a notice. */
async function listenOn(connection: Connection, hooks: ConnectionHooks): Promise<void> {
  let subscription: McpSubscription | undefined = connection.client.autoOpenedSubscription
  for (let times = 1; subscription !== undefined && times <= MOST_LISTENINGS; times += 1) {
    if ((await subscription.closed) === 'local' || !connection.isOpen()) return
    await systemClock.sleep(pauseMs(times), connection.gone)
    if (!connection.isOpen()) return
    subscription = await connection.client.listen({ toolsListChanged: true }).catch(() => subscription)
    hooks.mayHaveChanged()
  }
}
