// Results that are larger than a record (D9), for hosts that keep them beside the streams.

import type { Migration } from '../migrate.ts'

export const blobs: Migration = {
  number: 2,
  name: 'blobs',
  sql: s => [
    `create table "${s}".blobs (
  turn_id uuid not null,
  digest bytea not null,
  bytes bytea not null,
  primary key (turn_id, digest)
)`,
  ],
}
