// Several processes write into one store at once, on tables as large as those in use: nothing is lost, doubled or skipped.
// Goal of the checker: what the writers were told is what the streams hold, and what the feed gave.

import { fork } from 'node:child_process'
import { beforeAll, expect, it } from 'vitest'
import type { StoredEvent } from '../../machines/events.ts'
import type { Store } from '../../machines/ports/store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { fillTurns, withSession } from './postgres-rows.ts'
import { linksOf, unique, upTo } from './stage.ts'
import type { WorkerOrder, WorkerReport } from './store-postgres-worker.ts'

const PROCESSES = 4
const ROUNDS = 25
const FILLERS = 50_000

describeWithPostgres('several processes on one store', url => {
  const schema = freshSchema()
  let reports: WorkerReport[]
  let tailed: StoredEvent[]
  let store: Store

  beforeAll(async () => {
    store = await openPostgres(url, { schema, migrate: true })
    await withSession(url, session => fillTurns(session, schema, FILLERS))
    const start = await store.feedEnd()
    const running = Promise.all(upTo(PROCESSES).map(() => run({ url, schema, worker: unique('worker'), rounds: ROUNDS })))
    ;[tailed, reports] = await Promise.all([tail(store, start, running), running])
    return () => store.close()
  })

  it('keeps every accepted event once, and nothing else', async () => {
    const accepted = reports.flatMap(report => report.accepted)
    expect(accepted.length).toBeGreaterThan(PROCESSES * ROUNDS * 4)
    const stored = (await streams(store, accepted)).flat().map(nameOf)
    expect(stored.sort()).toEqual([...accepted].sort())
  })

  it('keeps every stream whole, in rising versions without a gap', async () => {
    for (const events of await streams(
      store,
      reports.flatMap(report => report.accepted),
    )) {
      expect(events.map(event => event.version)).toEqual(upTo(events.length))
      expect(new Set(linksOf(events))).toEqual(new Set(['whole']))
    }
  })

  it('gives every event once in the feed that was read meanwhile, rising in each turn', () => {
    const last = new Map<string, number>()
    for (const { turnId, version } of tailed) {
      expect(version).toBe((last.get(turnId) ?? 0) + 1)
      last.set(turnId, version)
    }
    expect(tailed.map(nameOf).sort()).toEqual(reports.flatMap(report => [...report.accepted]).sort())
  })

  it('meets other writers, and no deadlock', () => {
    const answers = reports.flatMap(report => Object.keys(report.answers))
    expect(new Set(answers)).toContain('moved')
    expect(answers.filter(answer => answer === 'failed' || answer === 'busy')).toEqual([])
    expect(reports.flatMap(report => report.again)).toEqual([])
  })
})

const nameOf = ({ turnId, version, hash }: StoredEvent) => `${turnId}:${version}:${hash}`

function run(order: WorkerOrder): Promise<WorkerReport> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./store-postgres-worker.ts', import.meta.url))
    child.on('message', report => resolve(report as WorkerReport))
    child.on('exit', code => reject(new Error(`a worker ended with ${code} before it reported`)))
    child.send(order)
  })
}

/** Reads the feed page by page while the workers run, and on until it gave as many events as they were told of. */
async function tail(store: Store, start: string, running: Promise<readonly WorkerReport[]>): Promise<StoredEvent[]> {
  let cursor = start
  let expected = Infinity
  void running.then(told => {
    expected = told.reduce((sum, report) => sum + report.accepted.length, 0)
  })
  const events: StoredEvent[] = []
  for (;;) {
    const enough = events.length >= expected
    const page = await store.feed(cursor, 50)
    cursor = page.cursor
    events.push(...page.events.filter(event => event.tenant !== 'filler'))
    if (enough && page.events.length === 0) return events
  }
}

function streams(store: Store, accepted: readonly string[]): Promise<StoredEvent[][]> {
  const turns = [...new Set(accepted.map(name => name.slice(0, name.indexOf(':'))))]
  return Promise.all(turns.map(async turnId => [...(await store.read(turnId))]))
}
