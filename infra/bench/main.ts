// `npm run bench [-- --json] [--turns n]`: workload W1 on Postgres at 1, 16 and 64 at once, each beside the floor of the same run.

import os from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createRuntime } from '../../adapters/host.ts'
import { silentLog } from '../../adapters/log.ts'
import { noBus } from '../../bus/none.ts'
import type { Store } from '../../machines/ports/store.ts'
import { migratePostgres, openPostgres } from '../../store/postgres.ts'
import { recordingStore, sameWrites, write, type TurnWrites } from './floor.ts'
import { percentile, runAtOnce, serverFigures, withDatabase } from './measure.ts'
import { model, tools, turn } from './w1.ts'

type Figures = {
  readonly name: string
  readonly concurrency: number
  readonly turns: number
  readonly turnsPerSecond: number
  readonly floorTurnsPerSecond: number
  readonly ratioToFloor: number
  readonly stepMs: { readonly p50: number; readonly p99: number }
  readonly commitsPerTurn: number
  readonly walBytesPerTurn: number
}

const LEVELS = [1, 16, 64]
const WARM_UP = 50

const { values } = parseArgs({ options: { json: { type: 'boolean' }, turns: { type: 'string' }, server: { type: 'string' } } })
const server = values.server ?? process.env['TOOLTURN_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const workloads = await withDatabase(server, async url => {
  await migratePostgres(url)
  const client = new pg.Client(url)
  await client.connect()
  const figures: Figures[] = []
  for (const concurrency of LEVELS) {
    const turns = values.turns === undefined ? (concurrency === 1 ? 500 : 3_000) : Number(values.turns)
    process.stderr.write(`W1 at ${concurrency}: ${turns} turns\n`)
    figures.push(await measureLevel(url, client, concurrency, turns))
  }
  await client.end()
  return figures
})

const processors = `${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}`
const machine = `${processors}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, node ${process.version}`
if (values.json === true) process.stdout.write(`${JSON.stringify({ machine, workloads })}\n`)
else printTable()

async function measureLevel(url: string, client: pg.Client, concurrency: number, turns: number): Promise<Figures> {
  const inner = await openPostgres(url)
  const { store, writes, waits } = recordingStore(inner)
  const runtime = await createRuntime({
    store: { kind: 'postgres', open: async () => store },
    bus: noBus(),
    model,
    tools,
    concurrency,
    log: silentLog,
  })
  const work = async () => {
    const { state } = await (await runtime.spawn(turn)).result()
    if (state !== 'completed') throw new Error(`a turn ended as ${state}`)
  }
  await runAtOnce(WARM_UP, concurrency, work)
  const before = await serverFigures(client)
  writes.clear()
  waits.length = 0
  const seconds = await runAtOnce(turns, concurrency, work)
  const after = await serverFigures(client)
  const floor = await measureFloor(inner, [...writes.values()], concurrency)
  await runtime.close()
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    name: 'W1',
    concurrency,
    turns,
    turnsPerSecond: round(turns / seconds),
    floorTurnsPerSecond: round(floor),
    ratioToFloor: round(turns / seconds / floor, 3),
    stepMs: { p50: round(percentile(sorted, 0.5), 2), p99: round(percentile(sorted, 0.99), 2) },
    commitsPerTurn: round((after.commits - before.commits) / turns, 2),
    walBytesPerTurn: Math.round((after.walBytes - before.walBytes) / turns),
  }
}

/** @returns turns a second of the same writes without a runtime */
async function measureFloor(store: Store, recorded: readonly TurnWrites[], concurrency: number): Promise<number> {
  const worker = `floor-${concurrency}`
  await store.enlist(worker, 600_000)
  const ready = recorded.map(writes => sameWrites(writes, worker))
  const seconds = await runAtOnce(ready.length, concurrency, index => write(store, ready[index] as TurnWrites))
  return ready.length / seconds
}

function printTable(): void {
  process.stdout.write(
    `${machine}\n\n| workload | at once | turns/s | floor | ratio | step p50 / p99 ms | commits/turn | WAL bytes/turn |\n`,
  )
  process.stdout.write('| --- | --- | --- | --- | --- | --- | --- | --- |\n')
  for (const {
    name,
    concurrency,
    turnsPerSecond,
    floorTurnsPerSecond,
    ratioToFloor,
    stepMs,
    commitsPerTurn,
    walBytesPerTurn,
  } of workloads) {
    const row = [
      name,
      concurrency,
      turnsPerSecond,
      floorTurnsPerSecond,
      ratioToFloor,
      `${stepMs.p50} / ${stepMs.p99}`,
      commitsPerTurn,
      walBytesPerTurn,
    ]
    process.stdout.write(`| ${row.join(' | ')} |\n`)
  }
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
