// Where the turns are: the store, the bus and the tenant that a command works on, read from its options and the environment.
// The only file of the command line that knows stores and buses; each is loaded when it is named, so that others start quickly.

import { Option, type Command } from 'commander'
import type { BusSource } from '../../bus/source.ts'
import { ToolturnError } from '../../machines/errors.ts'
import type { StoreSource } from '../../store/source.ts'
import { systemClock } from '../clock.ts'
import { silentLog } from '../log.ts'

export type WhereFlags = { readonly store?: string; readonly bus?: string; readonly tenant?: string }

export type { BusSource, StoreSource }

/** A store by its address. */
export type StorePlace = {
  /** As it may be shown: without a password. */
  readonly address: string
  /** @param make true: a folder that is not there yet is made; else opening it is `store_unreachable` */
  readonly source: (make: boolean) => Promise<StoreSource>
  /** Brings the schema up to date. @returns the numbers of the migrations that were applied now */
  readonly migrate: () => Promise<readonly number[]>
  /** The whole schema as SQL. */
  readonly sql: () => Promise<string>
}

const DEFAULT_STORE = 'pglite:.toolturn'

/** Adds `--store`, `--bus` and `--tenant` to a verb. */
export function withWhere(command: Command): Command {
  return command
    .addOption(
      new Option('--store <address>', `postgres://…[?schema=…], pglite:<dir> or memory: (default: ${DEFAULT_STORE})`).env('TOOLTURN_STORE'),
    )
    .addOption(new Option('--bus <address>', 'nats://…[?prefix=…] or memory: (default: memory:)').env('TOOLTURN_BUS'))
    .addOption(new Option('--tenant <name>', 'whose turns (default: default)').env('TOOLTURN_TENANT'))
}

export function tenantOf({ tenant }: WhereFlags): string {
  return tenant === undefined || tenant === '' ? 'default' : tenant
}

/** True where the options or the environment name a store; else a configuration may. */
export function namesStore({ store }: WhereFlags): boolean {
  return store !== undefined && store !== ''
}

export function namesBus({ bus }: WhereFlags): boolean {
  return bus !== undefined && bus !== ''
}

/** @throws ToolturnError `option_invalid` */
export function storeOf(flags: WhereFlags): StorePlace {
  const address = namesStore(flags) ? (flags.store as string) : DEFAULT_STORE
  if (/^postgres(ql)?:\/\//.test(address)) return postgresPlace(address)
  if (address.startsWith('pglite:')) return embeddedPlace(address.slice('pglite:'.length))
  if (address === 'memory:') return memoryPlace
  throw new ToolturnError('option_invalid', 'The store is none of postgres://…, pglite:<dir> and memory:.', { option: '--store' })
}

function postgresPlace(address: string): StorePlace {
  const url = URL.parse(address)
  if (url === null) throw new ToolturnError('option_invalid', 'The store is no valid postgres:// address.', { option: '--store' })
  const schema = url.searchParams.get('schema') ?? 'toolturn'
  url.searchParams.delete('schema')
  const target = url.href
  url.password = ''
  return {
    address: `${url.href}${url.search === '' ? '?' : '&'}schema=${schema}`,
    source: async () => (await import('../../store/postgres.ts')).postgres(target, { schema }),
    migrate: async () => (await import('../../store/postgres.ts')).migratePostgres(target, { schema }),
    sql: () => schemaSql(schema),
  }
}

function embeddedPlace(folder: string): StorePlace {
  if (folder === '') throw new ToolturnError('option_invalid', 'The store pglite: lacks its folder.', { option: '--store' })
  const source: StorePlace['source'] = async make => {
    const [{ embedded }, { isStoreIn }] = await Promise.all([import('../../store/embedded.ts'), import('../../store/embedded-folder.ts')])
    const store = embedded(folder)
    const open: StoreSource['open'] = async log => {
      if (make || isStoreIn(folder)) return store.open(log)
      throw new ToolturnError('store_unreachable', 'There is nothing in this folder yet: the first turn that is opened makes it.', {
        folder,
      })
    }
    return { ...store, open }
  }
  return {
    address: `pglite:${folder}`,
    source,
    // It is up to date whenever it was opened.
    migrate: async () => {
      const store = await (await source(true)).open(silentLog)
      await store.close()
      return []
    },
    sql: () => schemaSql('toolturn'),
  }
}

const memoryPlace: StorePlace = {
  address: 'memory:',
  source: async () => (await import('../../store/memory-source.ts')).memory(),
  migrate: async () => [],
  sql: () => schemaSql('toolturn'),
}

async function schemaSql(schema: string): Promise<string> {
  const [{ migrationSql }, { checkedSchema }] = await Promise.all([import('../../store/migrate.ts'), import('../../store/database.ts')])
  return migrationSql(checkedSchema(schema))
}

/**
 * `memory:` is a bus that ends in this process. A process that drives has none instead: what such a bus acknowledged would count as
 * published, and never reach a broker that is named later.
 *
 * @throws ToolturnError `option_invalid`
 */
export async function busOf(flags: WhereFlags, drives: boolean): Promise<BusSource> {
  const address = namesBus(flags) ? (flags.bus as string) : 'memory:'
  if (address === 'memory:' && drives) return (await import('../../bus/none.ts')).noBus()
  if (address === 'memory:') {
    const { memoryBroker, memoryBus } = await import('../../bus/memory.ts')
    return memoryBus(memoryBroker({ clock: systemClock }))
  }
  if (!/^(nats|tls):\/\//.test(address)) {
    throw new ToolturnError('option_invalid', 'The bus is none of nats://… and memory:.', { option: '--bus' })
  }
  const [servers = '', query = ''] = address.split('?')
  const prefix = new URLSearchParams(query).get('prefix') ?? 'turns'
  return (await import('../../bus/nats.ts')).nats(servers, { prefix })
}
