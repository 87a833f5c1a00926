// Goal: nobody changes by accident a column that people's reports, a DBA's grants or a worker of an earlier version rely on.
//
// Typed by hand, read back from a real Postgres after migrating. When this goes red: a migration that has been released is never
// edited; add a further one, which adds what workers of the version before do not know and takes nothing from them. Then change
// the copy here, in the same commit.

import { Client } from 'pg'
import { expect, test } from 'vitest'
import { migrationSql } from '../../store/migrate.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'

/** Columns by table, in alphabetic order, each with its type; `?` where it may be null. */
const COLUMNS = {
  appends: [
    'actor text',
    'data json',
    'data_hashes bytea',
    'hashes bytea',
    'plain bool',
    'position int8',
    'salts bytea',
    'schema_version int2',
    'size int2',
    'time timestamptz',
    'turn_id uuid',
    'types text',
    'version int4',
    'worked float8',
    'xid xid8',
  ],
  approvals: [
    'acting json?',
    'approval_id text',
    'approvers json?',
    'arguments json',
    'content_trust text',
    'expires_at timestamptz',
    'kind text',
    'opened_at timestamptz',
    'ordinal int4',
    'reason text',
    'settled text?',
    'tenant text',
    'tool text',
    'turn_id uuid',
  ],
  blobs: ['bytes bytea', 'digest bytea', 'turn_id uuid'],
  events_sql: [
    'actor text?',
    'data jsonb?',
    'position int8?',
    'schema_version int2?',
    'tenant text?',
    'time timestamptz?',
    'turn_id uuid?',
    'type text?',
    'version int4?',
    'worked float8?',
  ],
  feed_cursors: ['cursor text', 'name text'],
  leads: ['name text', 'until timestamptz', 'worker text'],
  migrations: ['applied_at timestamptz', 'name text', 'number int4'],
  sealed: ['box bytea', 'ordinal int4', 'turn_id uuid'],
  store: ['clock_offset interval', 'id uuid', 'only bool'],
  turns: [
    'attempt int4',
    'changed_hour int4',
    'claims int2',
    'code text?',
    'content_digest text',
    'epoch int4',
    'format int2',
    'head bytea',
    'key text?',
    'labels _text',
    'lagging bool',
    'offers _text',
    'opened_at timestamptz',
    'outcomes _text',
    'owner text?',
    'parked bool',
    'principal_id text?',
    'principal_issuer text?',
    'principal_kind text?',
    'principal_scopes _text?',
    'published int4',
    'runtime text',
    'state text',
    'tenant text',
    'tools _text',
    'turn_id uuid',
    'turn_key bytea',
    'updated_at timestamptz',
    'version int4',
    'wake_at timestamptz?',
  ],
  workers: ['alive_until timestamptz', 'id text', 'runtime text?', 'tools _text?'],
}

describeWithPostgres('the tables', postgres => {
  test('have these columns', async () => {
    const schema = freshSchema()
    const client = new Client({ connectionString: postgres })
    await client.connect()
    try {
      await client.query(migrationSql(schema))
      expect(await readColumns(client, schema)).toEqual(COLUMNS)
    } finally {
      await client.end()
    }
  })
})

async function readColumns(client: Client, schema: string): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `
    select table_name as table, array_agg(
      column_name || ' ' || udt_name || case is_nullable when 'YES' then '?' else '' end order by column_name collate "C"
    ) as columns
    from information_schema.columns where table_schema = $1 group by table_name`,
    [schema],
  )
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
}
