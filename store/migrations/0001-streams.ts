// The first schema: streams and the row of each turn, the inbox, sealed boxes, workers, leads and cursors.

import type { Migration } from '../migrate.ts'

export const streams: Migration = {
  number: 1,
  name: 'streams',
  sql: schema => [...turns(schema), ...appends(schema), ...beside(schema), ...processes(schema)],
}

/**
 * What changes with every append stands together at the end of the row and in no index, so an append stays on its page (HOT) and
 * writes little WAL. `changed_hour` is `updated_at` in hours, for an index that changes once an hour at most.
 */
const turns = (s: string) => [
  `create table "${s}".turns (
  turn_id uuid primary key,
  opened_at timestamptz not null,
  tenant text not null,
  runtime text not null,
  key text,
  content_digest text not null,
  labels text[] not null,
  principal_kind text,
  principal_issuer text,
  principal_id text,
  principal_scopes text[],
  offers text[] not null,
  turn_key bytea not null,
  wake_at timestamptz,
  owner text,
  changed_hour int4 not null,
  parked bool not null default false,
  lagging bool not null default true,
  updated_at timestamptz not null,
  version int4 not null,
  epoch int4 not null,
  published int4 not null default 0,
  attempt int4 not null,
  format int2 not null,
  claims int2 not null default 0,
  head bytea not null,
  state text not null,
  code text,
  tools text[] not null,
  outcomes text[] not null
) with (fillfactor = 60)`,
  `create unique index turns_by_key on "${s}".turns (tenant, key) where key is not null`,
  `create index turns_newest on "${s}".turns (tenant, opened_at, turn_id)`,
  `create index turns_due on "${s}".turns (wake_at) where wake_at is not null and not parked`,
  `create index turns_lagging on "${s}".turns (turn_id) where lagging`,
  `create index turns_changed on "${s}".turns (changed_hour)`,
  `create index turns_by_label on "${s}".turns using gin (labels) where labels <> '{}'`,
]

/**
 * A row is an append: its events share a stamp and stand in their order in `types`, `hashes`, `salts` and `data`, the last of them at
 * `version`. The payloads are `json` with canonical text: `jsonb` would refuse U+0000 and halves of surrogate pairs. Nothing is kept
 * twice: the tenant is the turn's; the hash before an event is that of the one before; a payload's digest follows from salt and
 * payload, and `data_hashes` is empty until one of them was erased.
 */
const appends = (s: string) => [
  `create table "${s}".appends (
  turn_id uuid not null,
  version int4 not null,
  size int2 not null,
  schema_version int2 not null,
  xid xid8 not null default pg_current_xact_id(),
  position int8 not null generated always as identity,
  worked float8 not null,
  time timestamptz not null,
  plain bool not null,
  types text not null,
  actor text not null,
  hashes bytea not null,
  salts bytea not null,
  data_hashes bytea not null,
  data json not null,
  primary key (turn_id, version)
)`,
  `create index appends_feed on "${s}".appends (xid, position)`,
  `create view "${s}".events_sql as
  select a.turn_id, (a.version - a.size + e.n)::int4 as version, split_part(a.types, ' ', e.n::int4) as type, a.schema_version, a.time,
    t.tenant, a.actor, a.worked, a.position, case when a.plain then nullif(e.data::jsonb, 'null') end as data
  from "${s}".appends a join "${s}".turns t on t.turn_id = a.turn_id
  cross join lateral json_array_elements(a.data) with ordinality as e(data, n)`,
]

const beside = (s: string) => [
  `create table "${s}".approvals (
  approval_id text primary key,
  turn_id uuid not null,
  tenant text not null,
  ordinal int4 not null,
  kind text not null,
  tool text not null,
  arguments json not null,
  content_trust text not null,
  acting json,
  approvers json,
  reason text not null,
  opened_at timestamptz not null,
  expires_at timestamptz not null,
  settled text
)`,
  `create index approvals_open on "${s}".approvals (opened_at, approval_id) where settled is null`,
  `create index approvals_by_turn on "${s}".approvals (turn_id)`,
  `create table "${s}".sealed (
  turn_id uuid not null,
  ordinal int4 not null,
  box bytea not null,
  primary key (turn_id, ordinal)
)`,
]

/** Leases end by the database's own clock; `clock_offset` moves only the clock that turns live by, and only in tests. */
const processes = (s: string) => [
  `create table "${s}".workers (id text primary key, alive_until timestamptz not null)`,
  `create table "${s}".leads (name text primary key, worker text not null, until timestamptz not null)`,
  `create table "${s}".feed_cursors (name text primary key, cursor text not null)`,
  `create table "${s}".store (
  "only" bool primary key default true check ("only"),
  id uuid not null default gen_random_uuid(),
  clock_offset interval not null default '0'
)`,
  `insert into "${s}".store default values`,
]
