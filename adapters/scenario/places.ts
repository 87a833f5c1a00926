// Where a run has its store and its bus: a place of its own for each, made before the run and taken away after it.

import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { Client } from 'pg'
import { memoryBroker, memoryBus } from '../../bus/memory.ts'
import { brokerNames } from '../../bus/nats-prefix.ts'
import { nats } from '../../bus/nats.ts'
import type { BusSource } from '../../bus/source.ts'
import { ToolturnError } from '../../machines/errors.ts'
import { refuse } from '../../machines/runtime/door.ts'
import { embedded } from '../../store/embedded.ts'
import { memory } from '../../store/memory-source.ts'
import { postgres } from '../../store/postgres.ts'
import type { StoreSource } from '../../store/source.ts'
import { silentLog } from '../log.ts'
import type { Warm } from './warm.ts'

/** Where scenarios run, as the command line names it. */
export type Where = {
  /** `memory:`, `pglite:`, `pglite:<folder>`, `postgres://…` */
  readonly store: string
  /** `memory:`, `nats://…` */
  readonly bus: string
  /** True: no process of its own for the worker, and kills are simulated. On `memory:` it is so in any case. */
  readonly inProcess: boolean
}

/** The store and the bus of one run, in words that another process understands. */
export type Address = {
  readonly store:
    | { readonly kind: 'memory' }
    | { readonly kind: 'embedded'; readonly folder: string }
    | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }
  readonly bus: { readonly kind: 'memory' } | { readonly kind: 'nats'; readonly url: string; readonly prefix: string }
}

export type Place = {
  readonly address: Address
  /** A folder for the files of the run. */
  readonly folder: string
}

export function storeAt({ store }: Address): StoreSource {
  switch (store.kind) {
    case 'memory':
      return memory()
    case 'embedded':
      return embedded(store.folder)
    case 'postgres':
      return postgres(store.url, { schema: store.schema, migrate: true })
  }
}

export function busAt({ bus }: Address): BusSource {
  return bus.kind === 'memory' ? memoryBus(memoryBroker()) : nats(bus.url, { prefix: bus.prefix })
}

/**
 * Makes room for one run. Nothing of it is shared with any other run.
 *
 * @param leaving what is to be taken away in the end is put on it
 * @throws ToolturnError `bus_unreachable`, `store_unreachable`
 */
export async function makePlace(where: Where, emptyStore: Warm['emptyStore'], leaving: AsyncDisposableStack): Promise<Place> {
  const id = randomBytes(6).toString('hex')
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-scenario-'))
  leaving.defer(() => rm(folder, { recursive: true, force: true }))
  const bus = await makeBus(where.bus, id, leaving)
  if (where.store === 'memory:') return { address: { store: { kind: 'memory' }, bus }, folder }
  const store = where.store.startsWith('pglite:')
    ? await makeFolder(where.store, id, folder, emptyStore, leaving)
    : makeSchema(where.store, id, leaving)
  return { address: { store, bus }, folder }
}

/** @throws ToolturnError `option_invalid` */
export function checkWhere({ store, bus }: Where): void {
  if (store !== 'memory:' && !store.startsWith('pglite:') && !isUrl(store, /^postgres(ql)?:$/))
    refuse('store', '`memory:`, `pglite:`, `pglite:<folder>` or `postgres://…`')
  if (bus !== 'memory:' && !isUrl(bus, /^(nats|tls):$/)) refuse('bus', '`memory:` or `nats://…`')
}

function isUrl(address: string, protocol: RegExp): boolean {
  const url = URL.parse(address)
  return url !== null && protocol.test(url.protocol)
}

/** The worker makes the schema when it opens the store. */
function makeSchema(address: string, id: string, leaving: AsyncDisposableStack): Address['store'] {
  const schema = `toolturn_scenario_${id}`
  const url = withoutOurs(address, 'schema')
  leaving.defer(() => dropSchema(url, schema))
  return { kind: 'postgres', url, schema }
}

async function makeFolder(
  address: string,
  id: string,
  ofRun: string,
  emptyStore: Warm['emptyStore'],
  leaving: AsyncDisposableStack,
): Promise<Address['store']> {
  const parent = address.slice('pglite:'.length)
  const folder = parent === '' ? join(ofRun, 'store') : join(parent, `scenario-${id}`)
  leaving.defer(() => rm(folder, { recursive: true, force: true }))
  await cp(await emptyStore(), folder, { recursive: true })
  return { kind: 'embedded', folder }
}

/** An address may name the schema or the prefix of an installation; a run has its own. */
function withoutOurs(address: string, parameter: 'schema' | 'prefix'): string {
  const url = new URL(address)
  url.searchParams.delete(parameter)
  return url.href
}

/** Makes an embedded store with nothing in it. */
export async function makeEmptyStore(folder: string): Promise<void> {
  await (await embedded(folder).open(silentLog)).close()
}

async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`drop schema if exists ${client.escapeIdentifier(schema)} cascade`)
  } finally {
    await client.end()
  }
}

async function makeBus(url: string, id: string, leaving: AsyncDisposableStack): Promise<Address['bus']> {
  if (url === 'memory:') return { kind: 'memory' }
  const prefix = `s${id}`
  const server = withoutOurs(url, 'prefix')
  const connection = await connect({ servers: server, reconnect: false }).catch((error: unknown) => {
    throw new ToolturnError('bus_unreachable', '', {}, error)
  })
  leaving.defer(() => deleteStreams(connection, prefix))
  return { kind: 'nats', url: server, prefix }
}

async function deleteStreams(connection: NatsConnection, prefix: string): Promise<void> {
  const { streams } = await jetstreamManager(connection)
  const { turns, replays } = brokerNames(prefix).stream
  for await (const { config } of streams.list()) if (config.name === turns || config.name === replays) await streams.delete(config.name)
  await connection.close()
}
