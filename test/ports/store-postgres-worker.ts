// One of several processes that write into one store at once: opens, claims, appends as owner and as nobody. Tells its parent all
// that it was told is accepted.

import { openPostgres } from '../../store/postgres.ts'
import type { Claimed, Store } from '../../machines/ports/store.ts'
import { appendAt, newTurn, roundFailed } from './streams.ts'

export type WorkerOrder = { readonly url: string; readonly schema: string; readonly worker: string; readonly rounds: number }
export type WorkerReport = {
  /** `<turnId>:<version>:<hash>` of every event that was accepted. */
  readonly accepted: readonly string[]
  readonly answers: { readonly [answer: string]: number }
  /** Reasons why statements were sent again. */
  readonly again: readonly string[]
}

const RUNTIME = 'several processes'

async function work({ url, schema, worker, rounds }: WorkerOrder): Promise<WorkerReport> {
  const again: string[] = []
  const log = { info: () => undefined, warn: (_: string, fields?: object) => again.push(JSON.stringify(fields)), error: () => undefined }
  const store = await openPostgres(url, { schema, log })
  await store.enlist(worker, 600_000)
  const accepted: string[] = []
  const answers: Record<string, number> = {}

  async function append(turnId: string, epoch: number | null, release: boolean): Promise<void> {
    const last = (await store.read(turnId)).at(-1)
    if (last === undefined) return
    const place = { turnId, tenant: last.tenant, version: last.version, hash: last.hash }
    const write = appendAt(place, { epoch, release, facts: [roundFailed(1), roundFailed(2)] })
    const { answer } = await store.append(write)
    answers[answer] = (answers[answer] ?? 0) + 1
    if (answer === 'accepted') accepted.push(...write.events.map(event => `${turnId}:${event.version}:${event.hash}`))
  }

  async function drive({ turnId, epoch }: Claimed): Promise<void> {
    await append(turnId, epoch, false)
    await append(turnId, epoch, true)
  }

  for (let round = 0; round < rounds; round += 1) {
    const opened = Array.from({ length: 4 }, () => newTurn({ runtime: RUNTIME }))
    for (const turn of opened) accepted.push(...turn.events.map(event => `${turn.turnId}:1:${event.hash}`))
    await Promise.all(opened.map(turn => store.open(turn)))
    const claimed = await store.claim({ worker, count: 8, runtime: RUNTIME, tools: [], format: 1 })
    await Promise.all([...claimed.map(drive), ...(await anyTurns(store, 8)).map(turnId => append(turnId, null, false))])
  }
  await store.retire(worker)
  await store.close()
  return { accepted, answers, again }
}

/** Turns of any process, also those that others own and write right now. */
async function anyTurns(store: Store, count: number): Promise<string[]> {
  const { turns } = await store.list({ tenant: 'default', limit: 64 })
  const start = Math.floor(Math.random() * Math.max(1, turns.length - count))
  return turns.slice(start, start + count).map(turn => turn.turnId)
}

process.on('message', (order: WorkerOrder) => {
  work(order).then(
    report => process.send?.(report, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
