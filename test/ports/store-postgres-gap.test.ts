// The feed is not held up by positions that nobody will ever fill: what was rolled back left a gap, and no more.

import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { withSession } from './postgres-rows.ts'
import { appendAt, newTurn, placeBehind } from './streams.ts'

describeWithPostgres('a gap in the positions of events', url => {
  it('that was rolled back is passed over, in front of what was committed before and behind it', async () => {
    const schema = freshSchema()
    const store = await openPostgres(url, { schema, migrate: true })
    onTestFinished(() => store.close())
    const turn = newTurn()
    await store.open(turn)
    const { rows } = await withSession(url, async session => {
      await session.query('begin')
      const taken = await session.query(
        `select nextval(pg_get_serial_sequence('${schema}.appends', 'position')) as position, pg_current_xact_id()`,
      )
      await session.query('rollback')
      return taken
    })
    expect(Number(rows[0].position)).toBeGreaterThan(1)
    const append = appendAt(placeBehind(turn))
    await store.append(append)
    await expect.poll(async () => (await store.feed(null, 100)).events).toEqual([...turn.events, ...append.events])
  })
})
