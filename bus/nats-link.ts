// The connection to a NATS broker: kept up for ever in the background, whoever is absent, and usable only while it stands.

import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { JsonObject } from '../machines/json.ts'
import type { Log } from '../machines/ports/world.ts'
import { backoffMs } from './backoff.ts'
import { nameOf } from './delivery.ts'
import { dialOwn, endConnection, type Dial } from './nats-dial.ts'
import type { BrokerNames } from './nats-prefix.ts'
import { ensureStream } from './nats-streams.ts'

/** A connection that stands, with the stream of turns there. */
export type Session = {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  /** Resolves when the stream of a space is there. The one of replays is made when it is first needed. */
  readonly streamOf: (space: 'turns' | 'replays') => Promise<void>
}

export type Link = {
  /** Null while nothing can be sent. */
  readonly session: () => Session | null
  /** The session as soon as there is one; null when the link or the signal ends first. */
  readonly whenUp: (signal: AbortSignal) => Promise<Session | null>
  /** Called when a session is lost: what was sent and not answered has an unknown fate. */
  readonly onDown: (callback: () => void) => void
  /** A stream seems to be gone: it is made again before anything more is sent. */
  readonly mend: () => void
  /** Resolves when the first attempt has come to something. */
  readonly tried: Promise<void>
  readonly close: () => Promise<void>
}

type State = {
  readonly names: BrokerNames
  readonly log: Log
  readonly closing: AbortController
  readonly tried: PromiseWithResolvers<void>
  /** Called when a session stands, and at the close. */
  readonly watchers: Set<() => void>
  readonly downs: Set<() => void>
  connection: NatsConnection | null
  session: Session | null
  /** Counts connects and losses, so that work begun before one is noticed after it. */
  era: number
  downSince: number
  said: string
}

const FIRST_REST_MS = 100
const MOST_REST_MS = 5000
const REQUEST_MS = 5000

/** Starts to connect. Never throws and never gives up; a failure is logged once, until another one comes. */
export function natsLink(dial: Dial, names: BrokerNames, log: Log): Link {
  const state: State = {
    names,
    log,
    closing: new AbortController(),
    tried: Promise.withResolvers(),
    watchers: new Set(),
    downs: new Set(),
    connection: null,
    session: null,
    era: 0,
    downSince: performance.now(),
    said: '',
  }
  void keep(state, dial)
  return {
    session: () => state.session,
    whenUp: signal => whenUp(state, signal),
    onDown: callback => void state.downs.add(callback),
    mend: () => {
      if (state.session !== null) void raise(state, state.session.connection)
    },
    tried: state.tried.promise,
    close: async () => {
      const standing = state.session !== null
      state.closing.abort()
      for (const watcher of state.watchers) watcher()
      if (state.connection !== null && dial.kind === 'own') await endConnection(state.connection, standing)
      lower(state)
    },
  }
}

/** Connects, and connects anew whenever the client itself has given up, until the link is closed. */
async function keep(state: State, dial: Dial): Promise<void> {
  const { signal } = state.closing
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      const connection = dial.kind === 'given' ? dial.connection : await dialOwn(dial, () => restMs(state))
      failures = 0
      if (signal.aborted && dial.kind === 'own') await connection.close()
      else await live(state, connection)
    } catch (error) {
      say(state, 'The broker of the bus cannot be reached.', error)
    }
    state.tried.resolve()
    if (dial.kind === 'given') return
    await rest(backoffMs(failures + 1, FIRST_REST_MS, MOST_REST_MS), signal)
  }
}

/** Until the connection has ended for good. */
async function live(state: State, connection: NatsConnection): Promise<void> {
  state.connection = connection
  void raise(state, connection)
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') lose(state)
    if (type === 'reconnect') void raise(state, connection)
  }
  lower(state)
}

/** Makes a connection a session: the stream is there. Tries until it is, or the connection is lost. */
async function raise(state: State, connection: NatsConnection): Promise<void> {
  const { signal } = state.closing
  state.session = null
  const era = (state.era += 1)
  for (let failures = 1; state.era === era && !signal.aborted; failures += 1) {
    try {
      const manager = await jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false })
      await ensureStream(manager, state.names, 'turns')
      if (state.era === era && !signal.aborted) stand(state, sessionOver(connection, manager, state.names))
      return
    } catch (error) {
      if (state.era !== era) return
      say(state, 'The broker of the bus does not keep our stream.', error)
      state.tried.resolve()
      await rest(backoffMs(failures, FIRST_REST_MS, MOST_REST_MS), signal)
    }
  }
}

function sessionOver(connection: NatsConnection, manager: JetStreamManager, names: BrokerNames): Session {
  let replays: Promise<void> | null = null
  const streamOf = async (space: 'turns' | 'replays') => {
    if (space === 'turns') return
    replays ??= ensureStream(manager, names, space).catch((error: unknown) => {
      replays = null
      throw error
    })
    await replays
  }
  return { connection, manager, js: jetstream(connection, { timeout: REQUEST_MS }), streamOf }
}

function stand(state: State, session: Session): void {
  state.session = session
  if (state.said !== '') state.log.info('The broker of the bus is there.', { server: session.connection.getServer() })
  state.said = ''
  for (const watcher of state.watchers) watcher()
  state.tried.resolve()
}

function lose(state: State): void {
  lower(state)
  say(state, 'The connection to the broker of the bus was lost.', null)
}

function lower(state: State): void {
  state.era += 1
  if (state.session !== null) state.downSince = performance.now()
  state.session = null
  for (const down of state.downs) down()
}

function whenUp(state: State, signal: AbortSignal): Promise<Session | null> {
  return new Promise(resolve => {
    const look = () => {
      const over = signal.aborted || state.closing.signal.aborted
      if (!over && state.session === null) return
      state.watchers.delete(look)
      signal.removeEventListener('abort', look)
      resolve(over ? null : state.session)
    }
    state.watchers.add(look)
    signal.addEventListener('abort', look)
    look()
  })
}

/** Between two attempts to come back: the longer away, the longer. It is asked several times for one attempt, so it counts nothing. */
function restMs(state: State): number {
  return Math.min(MOST_REST_MS, Math.max(FIRST_REST_MS, (performance.now() - state.downSince) / 4))
}

function say(state: State, what: string, error: unknown): void {
  const fields: JsonObject = error === null ? {} : { error: nameOf(error) }
  const line = what + JSON.stringify(fields)
  if (line !== state.said) state.log.warn(what, fields)
  state.said = line
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    /* closing: over at once */
  })
}
