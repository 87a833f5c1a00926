// Finds the servers that tests need: the ones that were named, the ones at the usual ports, or ones started for this run.

import { connect } from '@nats-io/transport-node'
import { jetstreamManager } from '@nats-io/jetstream'
import { Client } from 'pg'
import { startNats, startPostgres, type StartedServer } from './servers-start.ts'

/** Where a server is (null: nowhere), how it was found, and how it is stopped when it was started here. */
export type FoundServer = {
  readonly kind: 'postgres' | 'nats'
  readonly url: string | null
  readonly how: string
  readonly stop: () => Promise<void>
}

type Sought = {
  readonly kind: 'postgres' | 'nats'
  readonly variable: string
  readonly usual: string
  readonly reachable: (url: string) => Promise<boolean>
  readonly start: () => Promise<StartedServer | null>
}

/** @throws when `TOOLTURN_TEST_POSTGRES` names a server that cannot be reached */
export function findPostgres(): Promise<FoundServer> {
  return find({
    kind: 'postgres',
    variable: 'TOOLTURN_TEST_POSTGRES',
    usual: 'postgres://postgres@127.0.0.1:5432/test',
    reachable: postgresReachable,
    start: () => startPostgres(postgresReachable),
  })
}

/** @throws when `TOOLTURN_TEST_NATS` names a server that cannot be reached, or one without JetStream */
export function findNats(): Promise<FoundServer> {
  return find({
    kind: 'nats',
    variable: 'TOOLTURN_TEST_NATS',
    usual: 'nats://127.0.0.1:4222',
    reachable: natsReachable,
    start: () => startNats(natsReachable),
  })
}

/** A server that was named must be there: falling back in secret would test something else than what was asked for. */
async function find({ kind, variable, usual, reachable, start }: Sought): Promise<FoundServer> {
  const stop = async () => {}
  const named = process.env[variable]
  if (named !== undefined && named !== '') {
    if (!(await reachable(named))) throw new Error(`${variable} names a server that cannot be reached.`)
    return { kind, url: named, how: `named by ${variable}`, stop }
  }
  if (await reachable(usual)) return { kind, url: usual, how: 'found at its usual port', stop }
  const started = await start()
  if (started === null) return { kind, url: null, how: `neither ${variable} nor the usual port nor a binary`, stop }
  return { kind, url: started.url, how: 'started for this run', stop: started.stop }
}

async function postgresReachable(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function natsReachable(servers: string): Promise<boolean> {
  try {
    const connection = await connect({ servers, timeout: 2000, reconnect: false })
    try {
      await (await jetstreamManager(connection, { timeout: 2000 })).getAccountInfo()
      return true
    } finally {
      await connection.close()
    }
  } catch {
    return false
  }
}
