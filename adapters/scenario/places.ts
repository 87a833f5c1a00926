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
import { takeFolder } from '../../store/embedded-folder.ts'
import { memory } from '../../store/memory-source.ts'
import { postgres } from '../../store/postgres.ts'
import type { StoreSource } from '../../store/source.ts'
import { silentLog } from '../log.ts'
import { keepWarm, type Warm } from './warm.ts'

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
    /** Null: in the database that one process keeps open, where no other reaches it. */
    | { readonly kind: 'embedded'; readonly folder: string | null }
    | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }
  readonly bus: { readonly kind: 'memory' } | { readonly kind: 'nats'; readonly url: string; readonly prefix: string }
}

export type Place = {
  readonly address: Address
  /** The store, as this process reaches it. */
  readonly source: StoreSource
  /** A folder for the files of the run. */
  readonly folder: string
}

export function storeAt({ store }: Address): StoreSource {
  switch (store.kind) {
    case 'memory':
      return memory()
    case 'embedded':
      if (store.folder === null) throw new ToolturnError('internal', 'Another process was sent to a store that only one reaches.')
      return embedded(store.folder)
    case 'postgres':
      return postgres(store.url, { schema: store.schema, migrate: true })
  }
}

export function busAt({ bus }: Address): BusSource {
  return bus.kind === 'memory' ? memoryBus(memoryBroker()) : nats(bus.url, { prefix: bus.prefix })
}

/**
 * Makes room for one run. Nothing of it is shared with any other run, but for the database in which stores of this process lie.
 *
 * @param apart true: other processes have to reach the store
 * @param leaving what is to be taken away in the end is put on it
 * @throws ToolturnError `bus_unreachable`, `store_unreachable`
 */
export async function makePlace(where: Where, apart: boolean, warm: Warm, leaving: AsyncDisposableStack): Promise<Place> {
  const id = randomBytes(6).toString('hex')
  const folder = await mkdtemp(join(tmpdir(), 'toolturn-scenario-'))
  leaving.defer(() => rm(folder, { recursive: true, force: true }))
  const bus = await makeBus(where.bus, id, leaving)
  if (where.store.startsWith('pglite:') && !apart) {
    return { address: { store: { kind: 'embedded', folder: null }, bus }, source: await makeShared(id, warm, leaving), folder }
  }
  const address = { store: await makeStore(where.store, id, folder, warm, leaving), bus }
  return { address, source: storeAt(address), folder }
}

async function makeStore(url: string, id: string, ofRun: string, warm: Warm, leaving: AsyncDisposableStack): Promise<Address['store']> {
  if (url === 'memory:') return { kind: 'memory' }
  if (!url.startsWith('pglite:')) return makeSchema(url, id, leaving)
  const folder = join(parentOf(url) ?? ofRun, `scenario-${id}`)
  leaving.defer(() => rm(folder, { recursive: true, force: true }))
  await cp(await warm.emptyStore(), folder, { recursive: true })
  return { kind: 'embedded', folder }
}

async function makeShared(id: string, warm: Warm, leaving: AsyncDisposableStack): Promise<StoreSource> {
  const shared = await warm.shared()
  const schema = `scenario_${id}`
  leaving.defer(() => shared.drop(schema))
  return { kind: 'embedded', open: log => shared.open(schema, log) }
}

/** The folder that `pglite:<folder>` names; null for none. */
function parentOf(url: string): string | null {
  return url.startsWith('pglite:') && url !== 'pglite:' ? url.slice('pglite:'.length) : null
}

/** What runs on one store share with each other. */
export function keepWarmFor({ store }: Where): Warm {
  return keepWarm({ make: makeEmptyStore, open: takeFolder }, parentOf(store))
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

/** An address may name the schema or the prefix of an installation; a run has its own. */
function withoutOurs(address: string, parameter: 'schema' | 'prefix'): string {
  const url = new URL(address)
  url.searchParams.delete(parameter)
  return url.href
}

/** Makes an embedded store with nothing in it. */
async function makeEmptyStore(folder: string): Promise<void> {
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
