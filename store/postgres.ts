// The store on a Postgres server, for any number of processes.

import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { ToolturnError } from '../machines/errors.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Log } from '../machines/ports/world.ts'
import { checkedSchema, type Database } from './database.ts'
import { storeClosed, typedError } from './faults.ts'
import { listener } from './listener.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './schema.ts'
import type { StoreSource } from './source.ts'
import { openSqlStore } from './sql-store.ts'

export type PostgresOptions = {
  /** Where the tables are. Default: `?schema=…` of the URL, else `toolturn`. */
  readonly schema?: string
  /** False where a pooler in transaction mode forgets prepared statements. Default true. */
  readonly prepared?: boolean
  /** False where no session of its own can be had; wake-ups are then found by polling alone. Default true. */
  readonly listen?: boolean
  /** True: brings the schema up to date when it is opened. Default false. */
  readonly migrate?: boolean
}

type Logged = { readonly log?: Log }

/** What `createRuntime` is given: nothing is connected before it opens it. @param target a URL, or a pool that stays yours */
export function postgres(target: string | pg.Pool, options: PostgresOptions = {}): StoreSource {
  return { kind: 'postgres', open: log => openPostgres(target, { ...options, log }) }
}

/**
 * Connects and looks at the schema.
 *
 * @throws ToolturnError `store_unreachable`, `schema_unmigrated`, `schema_newer`, `option_invalid`
 */
export async function openPostgres(target: string | pg.Pool, options: PostgresOptions & Logged = {}): Promise<Store> {
  return openSqlStore(postgresDatabase(target, options), { migrate: options.migrate ?? false })
}

/**
 * Brings the schema up to date. Safe to run by many processes at once, and again. Its statements take as long as they take.
 *
 * @returns the numbers of the migrations that were applied now
 */
export async function migratePostgres(target: string | pg.Pool, options: PostgresOptions & Logged = {}): Promise<readonly number[]> {
  const database = postgresDatabase(target, options, UNBOUNDED)
  try {
    return await migrate(database)
  } catch (error) {
    throw typedError(error)
  } finally {
    await database.close()
  }
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

function postgresDatabase(target: string | pg.Pool, options: PostgresOptions & Logged, statementMs = STATEMENT_MS): Database {
  const { prepared = true, listen = true, log = silent } = options
  const schema = checkedSchema(options.schema ?? schemaOf(target) ?? 'toolturn')
  const pool = typeof target === 'string' ? ownPool(target, statementMs) : target
  const onLost = (error: Error) => log.warn('a connection to the store was lost', { reason: typedError(error).code })
  const watch = (client: pg.PoolClient) => {
    client.on('error', onLost)
  }
  pool.on('error', onLost)
  pool.on('connect', watch)
  const wakes = listener(pool, schema, log)
  let closing: Promise<void> | undefined

  return {
    kind: 'postgres',
    schema,
    log,
    kysely: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(schema),
    run: async <Row>({ text, name }: Parameters<Database['run']>[0], parameters: Parameters<Database['run']>[1]) => {
      if (closing !== undefined) throw storeClosed()
      const query = prepared && name !== undefined ? { name, text, values: [...parameters] } : { text, values: [...parameters] }
      return (await pool.query(query)).rows as Row[]
    },
    listen: callback => (listen ? wakes.listen(callback) : () => undefined),
    close: () => {
      closing ??= wakes.close().then(() => {
        // A pool of its own is listened to until its last connection is gone: one that the server ends meanwhile harms nobody.
        if (typeof target === 'string') return pool.end()
        pool.off('connect', watch)
        pool.off('error', onLost)
      })
      return closing
    },
  }
}

/** The schema that a URL names, as on the command line; the driver knows nothing of it. */
function schemaOf(target: string | pg.Pool): string | null {
  return typeof target === 'string' ? (URL.parse(target)?.searchParams.get('schema') ?? null) : null
}

const CONNECTIONS = 10
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000
const UNBOUNDED = 0

/** @throws ToolturnError `option_invalid` when the text is no URL of a Postgres */
function ownPool(url: string, statementMs: number): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new ToolturnError('option_invalid', 'The address of a Postgres begins with postgres://.')
  return new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: statementMs,
    keepAlive: true,
    application_name: 'toolturn',
  })
}
