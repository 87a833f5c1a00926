// What a run of a workload costs: turns a second, the wait of one step, commits and WAL of a turn.

import pg from 'pg'

/** Runs `turns` pieces of work, `concurrency` at a time. @returns seconds that it took */
export async function runAtOnce(turns: number, concurrency: number, work: (index: number) => Promise<void>): Promise<number> {
  let next = 0
  const start = performance.now()
  const lane = async () => {
    while (next < turns) {
      const index = next
      next += 1
      await work(index)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return (performance.now() - start) / 1000
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export type ServerFigures = { readonly commits: number; readonly walBytes: number }

/** How long a backend may keep its counts to itself before they can be read. */
const FLUSH_MS = 1_500

/** Commits of this database and WAL of its server so far. Waits until idle backends have told their counts. */
export async function serverFigures(client: pg.Client): Promise<ServerFigures> {
  await new Promise(resolve => setTimeout(resolve, FLUSH_MS))
  const { rows } = await client.query<{ commits: string; wal: string }>(`
    select xact_commit as commits, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal
    from pg_stat_database where datname = current_database()`)
  return { commits: Number(rows[0]?.commits), walBytes: Number(rows[0]?.wal) }
}

/** A database of its own, so that commits of others do not count; dropped afterwards. */
export async function withDatabase<T>(server: string, use: (url: string) => Promise<T>): Promise<T> {
  const name = `toolturn_bench_${process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  try {
    await admin.query(`create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    return await use(url.href)
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
}
