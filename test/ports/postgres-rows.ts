// SQL that tests send around the store: rows in bulk, sessions of their own, transactions left open.

import pg from 'pg'

/** A session for as long as the work takes. */
export async function withSession<T>(url: string, work: (session: pg.Client) => Promise<T>): Promise<T> {
  const session = new pg.Client(url)
  session.on('error', () => undefined)
  await session.connect()
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}

/** So many turns that have ended long ago, so that plans are those of a table in use. */
export async function fillTurns(session: pg.Client, schema: string, count: number): Promise<void> {
  await session.query(`insert into "${schema}".turns (turn_id, opened_at, tenant, runtime, content_digest, labels, offers, turn_key,
    changed_hour, lagging, updated_at, version, epoch, published, attempt, format, head, state, tools, outcomes)
    select gen_random_uuid(), at, 'filler', 'filler', 'digest', '{}', '{}', '\\x00', extract(epoch from at) / 3600, false, at, 1, 0, 1, 1, 1,
      '\\x00', 'completed', '{}', '{}'
    from (select now() - n * interval '1 minute' as at from generate_series(1, ${count}) n) filler`)
  await session.query(`insert into "${schema}".appends (turn_id, version, size, schema_version, worked, time, plain, types, actor, hashes,
    salts, data_hashes, data)
    select turn_id, 1, 1, 1, 0, opened_at, true, 'turn.opened', 'filler', '\\x00', '\\x00', '', '[{}]' from "${schema}".turns
    where runtime = 'filler'`)
  await session.query(`analyze "${schema}".turns`)
  await session.query(`analyze "${schema}".appends`)
}
