// Opens of many turns in one statement. A tenant's spawn key is unique: who comes second finds the turn of the first.

import { ToolturnError } from '../machines/errors.ts'
import type { OpenAnswer, OpenTurn } from '../machines/ports/store.ts'
import { answersOf, variants, wakeText } from './append.ts'
import type { Carrier } from './appender.ts'
import { besideParameters, besideSql, hasBeside } from './beside.ts'
import { timeOfWrite } from './clock.ts'
import { arrayLiteral, toHex, toLabels, toText } from './columns.ts'
import { lastHash } from './event-rows.ts'
import { statement, wakeChannel, type Database } from './database.ts'
import { arraysOf, unnest, type Column } from './unnest.ts'

const lastOf = ({ events }: OpenTurn) => events[events.length - 1]

const ROW: readonly Column<OpenTurn>[] = [
  { name: 'turn_id', type: 'uuid', of: job => job.turnId },
  { name: 'tenant', type: 'text', of: job => job.tenant },
  { name: 'runtime', type: 'text', of: job => toText(job.runtime) },
  { name: 'key', type: 'text', of: job => (job.key === null ? null : toText(job.key)) },
  { name: 'content_digest', type: 'text', of: job => toText(job.contentDigest) },
  { name: 'labels', type: 'text', of: job => arrayLiteral(toLabels(job.labels)) },
  { name: 'principal_kind', type: 'text', of: job => job.principal?.kind ?? null },
  { name: 'principal_issuer', type: 'text', of: job => (job.principal === null ? null : toText(job.principal.issuer)) },
  { name: 'principal_id', type: 'text', of: job => (job.principal === null ? null : toText(job.principal.id)) },
  { name: 'principal_scopes', type: 'text', of: job => (job.principal === null ? null : arrayLiteral(job.principal.scopes)) },
  { name: 'offers', type: 'text', of: job => arrayLiteral(job.offers) },
  { name: 'turn_key', type: 'text', of: job => toHex(job.turnKey) },
  { name: 'owner', type: 'text', of: job => (job.owner === null ? null : toText(job.owner)) },
  { name: 'wake', type: 'text', of: job => wakeText(job.owner === null ? 'now' : job.projection.wakeAt) },
  { name: 'version', type: 'int4', of: job => lastOf(job)?.version ?? null },
  { name: 'head', type: 'text', of: job => lastOf(job)?.hash ?? null },
  { name: 'format', type: 'int4', of: job => Math.max(...job.events.map(event => event.schemaVersion)) },
  { name: 'state', type: 'text', of: job => job.projection.state },
  { name: 'code', type: 'text', of: job => job.projection.code },
  { name: 'attempt', type: 'int4', of: job => job.projection.attempt },
  { name: 'tools', type: 'text', of: job => arrayLiteral(job.projection.tools) },
  { name: 'outcomes', type: 'text', of: job => arrayLiteral(job.projection.outcomes) },
]

/** In the order of the keys, so that two processes which open the same ones wait for each other in one order only. */
function openSql(schema: string, full: boolean, notify: boolean): string {
  return `with b as (select * from ${unnest('b', ROW, 1)}),
${timeOfWrite(schema)},
o as (
  insert into "${schema}".turns (turn_id, opened_at, tenant, runtime, key, content_digest, labels, principal_kind,
    principal_issuer, principal_id, principal_scopes, offers, turn_key, wake_at, owner, changed_hour, updated_at, version,
    epoch, attempt, format, head, state, code, tools, outcomes)
  select b.turn_id, c.at, b.tenant, b.runtime, b.key, b.content_digest, b.labels::text[], b.principal_kind,
    b.principal_issuer, b.principal_id, b.principal_scopes::text[], b.offers::text[], decode(b.turn_key, 'hex'),
    case when b.wake = 'now' then c.at else b.wake::timestamptz end, b.owner, floor(extract(epoch from c.at) / 3600), c.at,
    b.version, case when b.owner is null then 0 else 1 end, b.attempt, b.format, decode(b.head, 'hex'), b.state, b.code,
    b.tools::text[], b.outcomes::text[]
  from b cross join c order by b.tenant, b.key, b.turn_id
  on conflict do nothing returning turn_id),
u as (select b.turn_id, b.n, b.owner is null as unowned from o join b on b.turn_id = o.turn_id),
${besideSql(schema, ROW.length + 1, full)}
select u.n::int4 as n${notify ? `, case when unowned then pg_notify('${wakeChannel(schema)}', u.turn_id::text)::text end` : ''} from u`
}

/** Who stands where an open did not go in: a turn of the same key, or of the same id. */
function lookSql(schema: string): string {
  return `select b.n::int4 as n, t.turn_id::text as turn_id, t.content_digest,
  exists (select 1 from "${schema}".appends a
    where a.turn_id = b.turn_id and a.version = b.version and ${lastHash('a')} = decode(b.head, 'hex')) as ours
from ${unnest('b', ROW, 1)}
join "${schema}".turns t on t.turn_id = b.turn_id or (t.tenant = b.tenant and t.key = b.key)
order by b.n, t.key is not distinct from b.key desc`
}

type Found = { readonly n: number; readonly turn_id: string; readonly content_digest: string; readonly ours: boolean }

export function openCarrier(database: Database): Carrier<OpenTurn, OpenAnswer> {
  const statements = variants((full, notify) => openSql(database.schema, full, notify))
  const look = statement(lookSql(database.schema))

  async function lookFor(jobs: readonly OpenTurn[]): Promise<(OpenAnswer | null)[]> {
    const rows = await database.run<Found>(look, arraysOf(ROW, jobs))
    return jobs.map((job, index) =>
      judge(
        job,
        rows.find(row => row.n === index + 1),
      ),
    )
  }

  return {
    keyOf: job => job.turnId,
    rowsOf: job => job.events.length,
    send: async jobs => {
      const full = jobs.some(hasBeside)
      const text = statements(
        full,
        jobs.some(job => job.owner === null),
      )
      const won = await database.run<{ n: number }>(text, [...arraysOf(ROW, jobs), ...besideParameters(jobs, full)])
      return answersOf(jobs, won, { answer: 'opened' }, lookFor)
    },
  }
}

/** Null: what stood in the way is gone again. */
function judge(job: OpenTurn, found: Found | undefined): OpenAnswer | null {
  if (found === undefined) return null
  if (found.ours && found.turn_id === job.turnId) return { answer: 'opened' }
  const answer = found.content_digest === toText(job.contentDigest) ? 'existing' : 'conflict'
  return { answer, turnId: found.turn_id }
}

/** @throws ToolturnError `option_invalid` when a text could not be found again by an index */
export function refuseLongKey({ key, turnId }: OpenTurn): void {
  if (key === null || Buffer.byteLength(toText(key)) <= 2_000) return
  throw new ToolturnError('option_invalid', 'A spawn key has at most 2000 bytes.', { turnId })
}
