// The clock of the store: the database's, plus an offset that only tests set, the same for every process.

import { ToolturnError } from '../machines/errors.ts'
import type { Store } from '../machines/ports/store.ts'
import { statement, type Database } from './database.ts'
import { once, repeatable } from './faults.ts'

/** The clock as an expression, in whole milliseconds. Leases do not go by it, but by `now()`. */
export function clock(schema: string): string {
  return `(select date_trunc('milliseconds', now() + clock_offset) from "${schema}".store)`
}

/**
 * The time of a write, as the CTE `c`, and the promise that goes with it: who hears of its commit can rely on the disk, also on a
 * server that answers before it has written. A stricter setting stays as it is.
 */
export function timeOfWrite(schema: string): string {
  return `c as materialized (select ${clock(schema)} as at,
  case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', true) end)`
}

/** The clock in epoch milliseconds, for a select list. */
export function clockMs(schema: string): string {
  return `(extract(epoch from ${clock(schema)}) * 1000)::float8`
}

export type StoreClock = Pick<Store, 'now' | 'time' | 'advance'> & {
  /** Takes an answer of the clock as a new reading. @param sentAt `performance.now()` before it was asked for */
  readonly observe: (ms: number, sentAt: number) => void
}

export function storeClock(database: Database): StoreClock {
  const read = statement(`select ${clockMs(database.schema)} as ms`)
  const move = statement(`update "${database.schema}".store set clock_offset = clock_offset + $1::float8 * interval '1 millisecond'`)
  let ahead = Date.now() - performance.now()

  const observe = (ms: number, sentAt: number) => {
    ahead = ms - (sentAt + performance.now()) / 2
  }

  const now = async () => {
    const sentAt = performance.now()
    const [row] = await repeatable(() => database.run<{ ms: number }>(read, []))
    if (row === undefined) throw new ToolturnError('schema_unmigrated', '')
    observe(row.ms, sentAt)
    return row.ms
  }

  return {
    now,
    time: () => Math.round(performance.now() + ahead),
    advance: async ms => {
      if (!Number.isFinite(ms) || ms < 0) throw new ToolturnError('option_invalid', 'The clock only moves forward.', { ms })
      await once(() => database.run(move, [ms]))
      await now()
    },
    observe,
  }
}
