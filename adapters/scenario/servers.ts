// What a store and a bus are, and which version of them: what a report on a run has to name.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { ToolturnError } from '../../machines/errors.ts'
import { silentLog } from '../log.ts'
import { storeAt } from './places.ts'

/** Never an address: that may hold what opens it. */
export type Server = { readonly kind: 'postgres' | 'embedded' | 'memory' | 'nats'; readonly server: string }

/**
 * @param url as the command line names a store
 * @throws ToolturnError `store_unreachable`
 */
export async function storeServer(url: string): Promise<Server> {
  if (url === 'memory:') return { kind: 'memory', server: 'memory' }
  return url.startsWith('pglite:') ? embeddedServer() : postgresServer(url)
}

async function embeddedServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-version-'))
  try {
    const store = await storeAt({ store: { kind: 'embedded', folder }, bus: { kind: 'memory' } }).open(silentLog)
    const { server } = await store.health()
    await store.close()
    return { kind: 'embedded', server }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function postgresServer(url: string): Promise<Server> {
  const address = new URL(url)
  address.searchParams.delete('schema')
  const client = new Client({ connectionString: address.href })
  try {
    await client.connect()
    const { rows } = await client.query<{ server: string }>("select current_setting('server_version') as server")
    return { kind: 'postgres', server: `PostgreSQL ${rows[0]?.server ?? ''}` }
  } catch (error) {
    throw new ToolturnError('store_unreachable', '', {}, error)
  } finally {
    await client.end()
  }
}

/**
 * @param url as the command line names a bus
 * @throws ToolturnError `bus_unreachable`
 */
export async function busServer(url: string): Promise<Server> {
  if (url === 'memory:') return { kind: 'memory', server: 'memory' }
  const address = new URL(url)
  address.searchParams.delete('prefix')
  const connection = await connect({ servers: address.href, reconnect: false }).catch((error: unknown) => {
    throw new ToolturnError('bus_unreachable', '', {}, error)
  })
  const version = connection.info?.version ?? 'of an unknown version'
  await connection.close()
  return { kind: 'nats', server: `NATS ${version}` }
}
