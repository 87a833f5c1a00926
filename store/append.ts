// Appends for many turns in one statement. The row of a turn decides for all of its events: they go in together or not at all.

import { ToolturnError } from '../machines/errors.ts'
import type { Append, AppendAnswer } from '../machines/ports/store.ts'
import type { Carrier } from './appender.ts'
import { besideParameters, besideSql, hasBeside } from './beside.ts'
import { timeOfWrite } from './clock.ts'
import { arrayLiteral, toInstant } from './columns.ts'
import { lastHash } from './event-rows.ts'
import { statement, wakeChannel, type Database, type Statement } from './database.ts'
import { arraysOf, unnest, type Column } from './unnest.ts'

const lastOf = ({ events }: Append) => events[events.length - 1]

const TURN: readonly Column<Append>[] = [
  { name: 'turn_id', type: 'uuid', of: job => job.turnId },
  { name: 'tenant', type: 'text', of: job => lastOf(job)?.tenant ?? null },
  { name: 'expected', type: 'int4', of: job => job.expected },
  { name: 'prev', type: 'text', of: job => job.head },
  { name: 'epoch', type: 'int4', of: job => job.epoch },
  { name: 'version', type: 'int4', of: job => lastOf(job)?.version ?? null },
  { name: 'head', type: 'text', of: job => lastOf(job)?.hash ?? null },
  { name: 'format', type: 'int4', of: job => Math.max(...job.events.map(event => event.schemaVersion)) },
  { name: 'state', type: 'text', of: job => job.projection.state },
  { name: 'code', type: 'text', of: job => job.projection.code },
  { name: 'attempt', type: 'int4', of: job => job.projection.attempt },
  { name: 'tools', type: 'text', of: job => arrayLiteral(job.projection.tools) },
  { name: 'outcomes', type: 'text', of: job => arrayLiteral(job.projection.outcomes) },
  { name: 'wake', type: 'text', of: job => wakeText(job.projection.wakeAt) },
  { name: 'published', type: 'int4', of: job => job.published ?? 0 },
  { name: 'release', type: 'bool', of: job => job.release === true },
]

/** `now`, an instant, or null. */
export function wakeText(wakeAt: 'now' | number | null): string | null {
  return typeof wakeAt === 'number' ? toInstant(wakeAt) : wakeAt
}

/**
 * `l` decides: it locks the rows that are as their writers believe, in one order for all processes (no deadlock), and passes over
 * those that others hold (one locked turn delays nobody else). A due `wake_at` stays as it is, so the index on it need not change.
 */
export function appendSql(schema: string, full: boolean, notify: boolean): string {
  return `with b as (select * from ${unnest('b', TURN, 1)}),
${timeOfWrite(schema)},
l as (
  select t.turn_id from "${schema}".turns t join b on b.turn_id = t.turn_id
  where t.version = b.expected and t.head = decode(b.prev, 'hex') and t.tenant = b.tenant and (b.epoch is null or t.epoch = b.epoch)
  order by t.turn_id for no key update of t skip locked),
u as (
  update "${schema}".turns t set
    version = b.version, head = decode(b.head, 'hex'), format = greatest(t.format, b.format), state = b.state, code = b.code,
    attempt = b.attempt, tools = b.tools::text[], outcomes = b.outcomes::text[], claims = 0, lagging = true,
    published = greatest(t.published, b.published), owner = case when b.release then null else t.owner end,
    wake_at = case when b.epoch is null or b.wake = 'now' then least(t.wake_at, c.at) else b.wake::timestamptz end,
    updated_at = c.at, changed_hour = floor(extract(epoch from c.at) / 3600)
  from b join l on l.turn_id = b.turn_id cross join c
  where t.turn_id = b.turn_id returning t.turn_id, b.n, b.epoch is null as unowned),
${besideSql(schema, TURN.length + 1, full)}
select u.n::int4 as n${notify ? `, case when unowned then pg_notify('${wakeChannel(schema)}', u.turn_id::text)::text end` : ''} from u`
}

/** What stands in the rows of appends that did not go in, and whether they went in before, by a statement nobody heard back from. */
function lookSql(schema: string): string {
  return `select b.n::int4 as n, t.version, t.epoch, t.tenant, encode(t.head, 'hex') as head,
  exists (select 1 from "${schema}".appends a
    where a.turn_id = b.turn_id and a.version = b.version and ${lastHash('a')} = decode(b.head, 'hex')) as ours
from ${unnest('b', TURN, 1)} left join "${schema}".turns t on t.turn_id = b.turn_id`
}

type Found = {
  readonly n: number
  readonly version: number | null
  readonly epoch: number | null
  readonly tenant: string | null
  readonly head: string | null
  readonly ours: boolean
}

export function appendCarrier(database: Database): Carrier<Append, AppendAnswer> {
  const statements = variants((full, notify) => appendSql(database.schema, full, notify))
  const look = statement(lookSql(database.schema))

  async function lookFor(jobs: readonly Append[]): Promise<(AppendAnswer | null)[]> {
    const found = new Map((await database.run<Found>(look, arraysOf(TURN, jobs))).map(row => [row.n, row]))
    return jobs.map((job, index) => judge(job, found.get(index + 1)))
  }

  return {
    keyOf: job => job.turnId,
    rowsOf: job => job.events.length,
    send: async jobs => {
      const full = jobs.some(hasBeside)
      const text = statements(
        full,
        jobs.some(job => job.epoch === null),
      )
      const won = await database.run<{ n: number }>(text, [...arraysOf(TURN, jobs), ...besideParameters(jobs, full)])
      return answersOf(jobs, won, { answer: 'accepted' }, lookFor)
    },
  }
}

/** The answers to all jobs: of those that the statement won, and what a look finds of the others. `n` is a job's place from 1. */
export async function answersOf<Job, Answer>(
  jobs: readonly Job[],
  won: readonly { readonly n: number }[],
  answer: Answer,
  lookFor: (lost: readonly Job[]) => Promise<readonly (Answer | null)[]>,
): Promise<(Answer | null)[]> {
  const numbers = new Set(won.map(row => row.n))
  const lost = jobs.filter((_, index) => !numbers.has(index + 1))
  const found = lost.length === 0 ? [] : [...(await lookFor(lost))]
  return jobs.map((_, index) => (numbers.has(index + 1) ? answer : (found.shift() ?? null)))
}

/** Null: nothing stands against the append; the row was locked when it was tried. */
function judge(job: Append, found: Found | undefined): AppendAnswer | null {
  const { turnId } = job
  if (found === undefined || found.version === null) return failed(new ToolturnError('turn_not_found', '', { turnId }))
  if (found.ours) return { answer: 'accepted' }
  if (found.tenant !== lastOf(job)?.tenant) return failed(new ToolturnError('option_invalid', 'An event is of another tenant.', { turnId }))
  if (job.epoch !== null && job.epoch !== found.epoch) return { answer: 'fenced' }
  if (job.expected < found.version) return { answer: 'moved' }
  if (job.expected > found.version || job.head !== found.head) {
    return failed(new ToolturnError('option_invalid', `Version ${job.expected} with this hash was never in the stream.`, { turnId }))
  }
  return null
}

function failed(error: ToolturnError): AppendAnswer {
  return { answer: 'failed', error }
}

/** The same statement with and without its dearer parts; each text is made once. */
export function variants(sql: (full: boolean, notify: boolean) => string): (full: boolean, notify: boolean) => Statement {
  const made = new Map<string, Statement>()
  return (full, notify) => {
    const name = `${full} ${notify}`
    const known = made.get(name) ?? statement(sql(full, notify))
    made.set(name, known)
    return known
  }
}
