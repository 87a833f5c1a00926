// The store on SQL: every part of the port on one database, Postgres or PGlite.

import type { ToolturnError } from '../machines/errors.ts'
import type { Append, AppendAnswer, OpenTurn, Store } from '../machines/ports/store.ts'
import { appendCarrier } from './append.ts'
import { groupCommit } from './appender.ts'
import { blobsOf } from './blobs.ts'
import { storeClock } from './clock.ts'
import type { Database } from './database.ts'
import { checkAppend, checkOpen } from './door.ts'
import { typedError } from './faults.ts'
import { feedOf, identityOf } from './feed.ts'
import { healthOf } from './health.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { openCarrier, refuseLongKey } from './open.ts'
import { outboxOf } from './outbox.ts'
import { ownership } from './ownership.ts'
import { streamsOf } from './streams.ts'
import { viewsOf } from './views.ts'

/**
 * Opens the store on a database that is there.
 *
 * @param options.migrate true: brings the schema up to date first
 * @throws ToolturnError `store_unreachable`, `schema_unmigrated`, `schema_newer`; the database is closed then
 */
export async function openSqlStore(database: Database, options: { readonly migrate: boolean }): Promise<Store> {
  try {
    if (options.migrate) await migrate(database)
    await requireMigrated(database)
    const clock = storeClock(database)
    await clock.now()
    return { ...reading(database, clock, await identityOf(database)), ...writing(database) }
  } catch (error) {
    await database.close()
    throw typedError(error)
  }
}

function reading(database: Database, clock: ReturnType<typeof storeClock>, identity: string): Omit<Store, 'open' | 'append'> {
  const { now, time, advance } = clock
  return {
    now,
    time,
    advance,
    ...streamsOf(database),
    blobs: blobsOf(database),
    ...viewsOf(database),
    ...ownership(database, clock),
    ...feedOf(database, identity),
    ...outboxOf(database),
    onWake: database.listen,
    health: healthOf(database),
    close: database.close,
  }
}

/** The one way into streams. */
function writing(database: Database): Pick<Store, 'open' | 'append'> {
  const send = groupCommit(appendCarrier(database), database.log)
  const sendOpen = groupCommit(openCarrier(database), database.log)
  return {
    open: async (turn: OpenTurn) => {
      checkOpen(turn)
      refuseLongKey(turn)
      return sendOpen(turn)
    },
    append: async (append: Append): Promise<AppendAnswer> => {
      try {
        checkAppend(append)
        return await send(append)
      } catch (error) {
        return asAnswer(typedError(error))
      }
    },
  }
}

/** A refusal is an answer. That nobody knows what became of an append is not. */
function asAnswer(error: ToolturnError): AppendAnswer {
  if (error.code === 'store_busy') return { answer: 'busy' }
  if (error.code === 'store_unreachable') throw error
  return { answer: 'failed', error }
}
