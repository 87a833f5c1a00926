// How a connection to NATS is made and ended: where to, as whom, and with a client that reconnects for ever.

import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { ToolturnError } from '../machines/errors.ts'

/** A connection that the caller made is used and never closed; when it ends, so does the bus. */
export type Dial =
  | { readonly kind: 'own'; readonly servers: readonly string[]; readonly user?: string; readonly pass?: string }
  | { readonly kind: 'given'; readonly connection: NatsConnection }

const CONNECT_MS = 5000
/** A peer that is dead and does not say so is noticed after two of these. */
const PING_MS = 15_000
const DRAIN_MS = 5000

/**
 * Reads what a user gives for a broker: one URL, several (also in one text, with commas), or a connection. A name and password
 * in a URL are used for all of them; a name alone is a token.
 *
 * @throws ToolturnError `option_invalid` when it is none of these
 */
export function readDial(servers: string | readonly string[] | NatsConnection): Dial {
  if (isConnection(servers)) return { kind: 'given', connection: servers }
  if (typeof servers !== 'string' && !Array.isArray(servers)) throw invalid()
  const given: readonly string[] = typeof servers === 'string' ? servers.split(',') : servers
  const texts = given.map(text => text.trim()).filter(text => text !== '')
  if (texts.length === 0) throw invalid()
  const urls = texts.map(readUrl)
  const { username, password } = urls.find(url => url.username !== '') ?? { username: '', password: '' }
  return {
    kind: 'own',
    servers: urls.map(url => `${url.protocol}//${url.host}`),
    ...(username === '' ? {} : { user: decodeURIComponent(username) }),
    ...(password === '' ? {} : { pass: decodeURIComponent(password) }),
  }
}

function isConnection(servers: unknown): servers is NatsConnection {
  return typeof servers === 'object' && servers !== null && 'status' in servers && typeof servers.status === 'function'
}

function readUrl(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`)
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') throw invalid()
  return url
}

/** Without the text: it may hold a password. */
function invalid(): ToolturnError {
  return new ToolturnError('option_invalid', 'A server of the bus is no URL like nats://host:4222.', { option: 'bus' })
}

/**
 * Connects once; rejects when no server answers. Later losses are the client's to mend, for as long as it takes.
 *
 * @param restMs how long to wait between two attempts to come back, asked before each
 */
export function dialOwn({ servers, user, pass }: Extract<Dial, { kind: 'own' }>, restMs: () => number): Promise<NatsConnection> {
  return connect({
    servers: [...servers],
    ...(user !== undefined && pass === undefined ? { token: user } : {}),
    ...(user !== undefined && pass !== undefined ? { user, pass } : {}),
    ...(servers.some(server => server.startsWith('tls:')) ? { tls: {} } : {}),
    name: 'toolturn',
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    reconnectDelayHandler: restMs,
  })
}

/** Sends what was handed over and closes; when the broker does not answer in time, or is away, closes all the same. */
export async function endConnection(connection: NatsConnection, standing: boolean): Promise<void> {
  if (connection.isClosed()) return
  const late = new AbortController()
  const drained = standing
    ? connection.drain().catch(() => {
        /* closed below */
      })
    : Promise.resolve()
  await Promise.race([
    drained,
    sleep(DRAIN_MS, undefined, { signal: late.signal }).catch(() => {
      /* drained in time */
    }),
  ])
  late.abort()
  if (!connection.isClosed()) await connection.close()
}
