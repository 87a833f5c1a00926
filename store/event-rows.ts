// Events as rows: one row holds an append. Its events share the row's stamp, and stand in their order in its payloads, hashes and
// salts; so an append costs one row and two index entries, however many events it has.

import { createHash } from 'node:crypto'
import { GENESIS } from '../machines/chain.ts'
import type { StoredEvent } from '../machines/events.ts'
import { parseJson } from '../machines/json-text.ts'
import { canonicalJson } from '../machines/json.ts'
import { fromActor, isPlain, toActor } from './columns.ts'
import type { Column } from './unnest.ts'

const HASH_BYTES = 32
const SALT_BYTES = 16

/** Neighbouring events that can stand in one row. */
type Run = { readonly stamp: string; readonly events: readonly StoredEvent[]; readonly texts: readonly string[] }

/** The rows of an append: one, unless its events differ in what a row says once of all of them. */
export function runsOf(events: readonly StoredEvent[]): readonly Run[] {
  const runs: Run[] = []
  for (const event of events) {
    const text = event.salt === null ? ERASED : canonicalJson(event.data)
    const stamp = [event.time, event.worked, event.schemaVersion, text === ERASED, isPlain(text), toActor(event.actor)].join(' ')
    const last = runs.at(-1)
    if (last?.stamp === stamp) runs[runs.length - 1] = { stamp, events: [...last.events, event], texts: [...last.texts, text] }
    else runs.push({ stamp, events: [event], texts: [text] })
  }
  return runs
}

/** What stands in place of a payload that was erased; a payload is always an object. */
const ERASED = 'null'

const first = ({ events }: Run) => events[0]

/** The columns of a row as it is handed in. */
export const APPEND: readonly Column<Run>[] = [
  { name: 'version', type: 'int4', of: ({ events }) => events.at(-1)?.version ?? null },
  { name: 'size', type: 'int4', of: ({ events }) => events.length },
  { name: 'schema_version', type: 'int4', of: run => first(run)?.schemaVersion ?? null },
  { name: 'plain', type: 'bool', of: ({ texts }) => texts.every(isPlain) },
  { name: 'worked', type: 'float8', of: run => first(run)?.worked ?? null },
  { name: 'time', type: 'text', of: run => first(run)?.time ?? null },
  { name: 'types', type: 'text', of: ({ events }) => events.map(event => event.type).join(' ') },
  { name: 'actor', type: 'text', of: run => (first(run) === undefined ? null : toActor((first(run) as StoredEvent).actor)) },
  { name: 'hashes', type: 'text', of: ({ events }) => events.map(event => event.hash).join('') },
  { name: 'salts', type: 'text', of: ({ events }) => events.map(event => event.salt ?? '00'.repeat(SALT_BYTES)).join('') },
  { name: 'data_hashes', type: 'text', of: ({ events }) => events.map(event => (event.salt === null ? event.dataHash : '')).join('') },
  { name: 'data', type: 'text', of: ({ texts }) => `[${texts.join(',')}]` },
]

/** Inserts the rows `r` of the turns `u`, joined by the number of their job. */
export function insertSql(schema: string, rows: string): string {
  return `insert into "${schema}".appends (turn_id, version, size, schema_version, plain, worked, time, types, actor, hashes, salts,
    data_hashes, data)
  select u.turn_id, r.version, r.size, r.schema_version, r.plain, r.worked, r.time::timestamptz, r.types, r.actor,
    decode(r.hashes, 'hex'), decode(r.salts, 'hex'), decode(r.data_hashes, 'hex'), r.data::json
  from u join ${rows} on r.job = u.n
  order by u.turn_id, r.version`
}

export type EventRow = {
  turn_id: string
  version: number
  schema_version: number
  worked: number
  time: string
  type: string
  tenant: string
  actor: string
  previous_hash: string | null
  hash: string
  salt: string
  data_hash: string
  data: string
}

/** The part of a row's bytes that belongs to its `n`-th event. */
const partOf = (bytes: string, n: string, width: number) => `substr(${bytes}, ((${n}) - 1)::int4 * ${width} + 1, ${width})`

/** The hash of the last event of a row. */
export const lastHash = (row: string) => `substr(${row}.hashes, length(${row}.hashes) - ${HASH_BYTES - 1})`

/** Opens the rows `a`: `e` has their payloads, numbered from 1. */
export const OPENED = `cross join lateral json_array_elements(a.data) with ordinality as e(data, n)`

/** The version of an event of an opened row. */
export const VERSION = `(a.version - a.size + e.n)::int4`

/** What is selected of an event of an opened row; `t` is the row of its turn. */
export const eventColumns = (schema: string) => `a.turn_id::text, ${VERSION} as version, a.schema_version, a.worked,
  to_char(a.time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time, split_part(a.types, ' ', e.n::int4) as type, t.tenant,
  a.actor, encode(${partOf('a.hashes', 'e.n', HASH_BYTES)}, 'hex') as hash, encode(${partOf('a.salts', 'e.n', SALT_BYTES)}, 'hex') as salt,
  encode(${partOf('a.data_hashes', 'e.n', HASH_BYTES)}, 'hex') as data_hash, e.data::text as data,
  encode(case when e.n > 1 then ${partOf('a.hashes', 'e.n - 1', HASH_BYTES)} else (
    select ${lastHash('p')} from "${schema}".appends p
    where p.turn_id = a.turn_id and p.version = a.version - a.size) end, 'hex') as previous_hash`

/** Behind a hole the hash before is not known, and the genesis that stands in for it breaks the chain, as the hole does. */
export function toEvent(row: EventRow): StoredEvent {
  const erased = row.data === ERASED
  return {
    turnId: row.turn_id,
    version: row.version,
    type: row.type,
    schemaVersion: row.schema_version,
    time: row.time,
    tenant: row.tenant,
    actor: fromActor(row.actor),
    worked: row.worked,
    data: erased ? null : parseJson(row.data),
    salt: erased ? null : row.salt,
    dataHash: erased ? row.data_hash : digest(row),
    previousHash: row.previous_hash ?? GENESIS,
    hash: row.hash,
  }
}

/** The stored text is the canonical one, so it is hashed as it lies there. */
function digest({ salt, data }: EventRow): string {
  return createHash('sha256').update(salt, 'hex').update(data).digest('hex')
}

/**
 * Erases payloads and salts of the turn `$1`, of the versions `$2` or all of them: the digests that the chain needs stay. As CTEs
 * of which `e` says how many events of each row were erased.
 */
export function eraseSql(schema: string): string {
  return `opened as (
  select a.turn_id, a.version, e.n, e.data, ${partOf('a.salts', 'e.n', SALT_BYTES)} as salt,
    ${partOf('a.data_hashes', 'e.n', HASH_BYTES)} as known, e.data::text = '${ERASED}' as before,
    $2::int4[] is null or ${VERSION} = any($2::int4[]) as now
  from "${schema}".appends a ${OPENED} where a.turn_id = $1::uuid),
closed as (
  select turn_id, version, json_agg(case when not before and not now then data end order by n) as data,
    string_agg(case when before or now then decode(repeat('00', ${SALT_BYTES}), 'hex') else salt end, ''::bytea order by n) as salts,
    string_agg(case when before then known else sha256(salt || convert_to(data::text, 'UTF8')) end, ''::bytea order by n) as digests,
    count(*) filter (where now and not before) as erased
  from opened group by turn_id, version),
e as (
  update "${schema}".appends a set data = c.data, salts = c.salts, data_hashes = c.digests from closed c
  where a.turn_id = c.turn_id and a.version = c.version and c.erased > 0 returning c.erased)`
}

/** Takes the event `$2` out of the turn `$1`, as damage would: what stood around it in its row stays. */
export function damageSql(schema: string): string {
  const part = (from: string, to: string) => `array_to_string((string_to_array(types, ' '))[${from}:${to}], ' '), worked, time, plain,
    actor, substr(hashes, ((${from}) - 1) * ${HASH_BYTES} + 1, ((${to}) - (${from}) + 1) * ${HASH_BYTES}),
    substr(salts, ((${from}) - 1) * ${SALT_BYTES} + 1, ((${to}) - (${from}) + 1) * ${SALT_BYTES}),
    substr(data_hashes, ((${from}) - 1) * ${HASH_BYTES} + 1, ((${to}) - (${from}) + 1) * ${HASH_BYTES}),
    (select json_agg(x.data order by x.n) from json_array_elements(d.data) with ordinality x(data, n) where x.n between ${from} and ${to})`
  return `with d as (
  delete from "${schema}".appends where turn_id = $1::uuid and $2::int4 > version - size and $2::int4 <= version
  returning *, $2::int4 - version + size as k)
insert into "${schema}".appends (turn_id, version, size, schema_version, xid, position, types, worked, time, plain, actor, hashes, salts,
  data_hashes, data) overriding system value
select turn_id, version - size + k - 1, k - 1, schema_version, xid, position, ${part('1', 'k - 1')} from d where k > 1
union all
select turn_id, version, size - k, schema_version, xid, position, ${part('k + 1', 'size')} from d where size > k`
}
