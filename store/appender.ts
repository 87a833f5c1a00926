// Group commit: whatever is queued while statements are in flight rides in the next one. One job's fault is never another's.

import { ToolturnError } from '../machines/errors.ts'
import type { Log } from '../machines/ports/world.ts'
import { isPassing, pause, typedError } from './faults.ts'

/** What is grouped: how jobs are told apart, how heavy they are, and the statement that carries many. */
export type Carrier<Job, Answer> = {
  /** At most one job of a key is in flight. */
  readonly keyOf: (job: Job) => string
  readonly rowsOf: (job: Job) => number
  /**
   * Sends one statement and says what became of each job; null where its row was locked and nothing changed. A job that was
   * sent before and may have been committed is recognised and answered as such. Rejects with the driver's error.
   */
  readonly send: (jobs: readonly Job[]) => Promise<readonly (Answer | null)[]>
}

type Entry<Job, Answer> = {
  readonly job: Job
  readonly since: number
  tries: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

const ROWS_PER_STATEMENT = 256
const STATEMENTS_IN_FLIGHT = 3
/** How long a job is sent again while its row stays locked. */
const LOCKED_MS = 5_000
/** How long a job is sent again while the store is out of reach. */
const UNREACHABLE_MS = 30_000
const LONGEST_PAUSE_MS = 500

type Group<Job, Answer> = {
  readonly carrier: Carrier<Job, Answer>
  readonly log: Log
  readonly waiting: Entry<Job, Answer>[]
  /** Keys of jobs in flight, or resting before they are sent again. */
  readonly taken: Set<string>
  flights: number
  scheduled: boolean
}

/**
 * A queue in front of grouped statements.
 *
 * @returns sends a job; resolves with its answer. Rejects with `store_busy` (its row stayed locked, nothing was written),
 *   `store_unreachable` (what became of it could not be found out), or the typed error of a statement that held this job alone
 */
export function groupCommit<Job, Answer>(carrier: Carrier<Job, Answer>, log: Log): (job: Job) => Promise<Answer> {
  const group: Group<Job, Answer> = { carrier, log, waiting: [], taken: new Set(), flights: 0, scheduled: false }
  return job =>
    new Promise((resolve, reject) => {
      group.waiting.push({ job, since: performance.now(), tries: 0, resolve, reject })
      schedule(group)
    })
}

/** At the end of this turn of the event loop, so that what answers woke up together is sent together. */
function schedule<Job, Answer>(group: Group<Job, Answer>): void {
  if (group.scheduled) return
  group.scheduled = true
  setImmediate(() => {
    group.scheduled = false
    launch(group)
  })
}

function launch<Job, Answer>(group: Group<Job, Answer>): void {
  while (group.flights < STATEMENTS_IN_FLIGHT) {
    const batch = takeBatch(group)
    if (batch.length === 0) return
    group.flights += 1
    void fly(group, batch).finally(() => {
      group.flights -= 1
      if (group.waiting.length > 0) schedule(group)
    })
  }
}

/** Never rejects: every fault is an answer to somebody. */
async function fly<Job, Answer>(group: Group<Job, Answer>, batch: readonly Entry<Job, Answer>[]): Promise<void> {
  try {
    const answers = await group.carrier.send(batch.map(entry => entry.job))
    batch.forEach((entry, index) => settle(group, entry, answers[index] ?? null))
  } catch (error) {
    if (!isPassing(error)) return isolate(group, batch, error)
    const typed = typedError(error)
    group.log.warn('a statement is sent again', { reason: String(typed.details['reason']), writes: batch.length })
    sendAgain(group, batch, UNREACHABLE_MS, typed)
  }
}

/** The statement was refused: halves are sent until the bad job stands alone. */
async function isolate<Job, Answer>(group: Group<Job, Answer>, batch: readonly Entry<Job, Answer>[], error: unknown): Promise<void> {
  const [first] = batch
  if (batch.length === 1 && first !== undefined) {
    group.taken.delete(group.carrier.keyOf(first.job))
    first.reject(typedError(error))
    return
  }
  const middle = Math.ceil(batch.length / 2)
  await fly(group, batch.slice(0, middle))
  await fly(group, batch.slice(middle))
}

function settle<Job, Answer>(group: Group<Job, Answer>, entry: Entry<Job, Answer>, answer: Answer | null): void {
  if (answer === null) return sendAgain(group, [entry], LOCKED_MS, new ToolturnError('store_busy', ''))
  group.taken.delete(group.carrier.keyOf(entry.job))
  entry.resolve(answer)
}

/** Keep their keys while they rest, and then stand first and together, so no later job of a key overtakes its own. */
function sendAgain<Job, Answer>(
  group: Group<Job, Answer>,
  entries: readonly Entry<Job, Answer>[],
  patienceMs: number,
  error: ToolturnError,
): void {
  const now = performance.now()
  const free = (entry: Entry<Job, Answer>) => group.taken.delete(group.carrier.keyOf(entry.job))
  for (const entry of entries.filter(({ since }) => now - since > patienceMs)) {
    free(entry)
    entry.reject(error)
  }
  const patient = entries.filter(({ since }) => now - since <= patienceMs)
  if (patient.length === 0) return
  for (const entry of patient) entry.tries += 1
  const tries = Math.max(...patient.map(entry => entry.tries))
  void pause(Math.min(5 * 2 ** Math.min(tries, 8), LONGEST_PAUSE_MS)).then(() => {
    for (const entry of patient) free(entry)
    group.waiting.unshift(...patient)
    schedule(group)
  })
}

/** Takes from the queue, in order, what fits into one statement: one job of a key, and none of a key in flight. */
function takeBatch<Job, Answer>({ carrier, waiting, taken }: Group<Job, Answer>): Entry<Job, Answer>[] {
  const batch: Entry<Job, Answer>[] = []
  const left: Entry<Job, Answer>[] = []
  let rows = 0
  for (const entry of waiting) {
    const key = carrier.keyOf(entry.job)
    const weight = carrier.rowsOf(entry.job)
    const fits = batch.length === 0 || rows + weight <= ROWS_PER_STATEMENT
    if (!fits || taken.has(key)) {
      left.push(entry)
      continue
    }
    taken.add(key)
    rows += weight
    batch.push(entry)
  }
  waiting.splice(0, waiting.length, ...left)
  return batch
}
