// The store on Postgres passes the suite of the port, on its own connections, behind a pooler and on a pool of the host.

import pg from 'pg'
import { expect, it } from 'vitest'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { storeSuite } from './store-suite.ts'
import { appendAt, newTurn, placeBehind } from './streams.ts'

const foreign = (cursor: string) => cursor.replace(/^\d+/, '1')

describeWithPostgres('the store on Postgres', url => {
  const schema = freshSchema()
  storeSuite(async () => {
    const stores = [await openPostgres(url, { schema, migrate: true }), await openPostgres(url, { schema })] as const
    return { stores, foreign, tellsWakes: true }
  })
})

describeWithPostgres('the store on Postgres, as behind a pooler that forgets sessions: nothing prepared, nobody listening', url => {
  const options = { schema: freshSchema(), prepared: false, listen: false }
  storeSuite(async () => {
    const stores = [await openPostgres(url, { ...options, migrate: true }), await openPostgres(url, options)] as const
    return { stores, foreign, tellsWakes: false }
  })
})

describeWithPostgres('the store on a pool of the host', url => {
  it('leaves the pool open when it is closed, and is closed itself', async () => {
    const pool = new pg.Pool({ connectionString: url })
    const store = await openPostgres(pool, { schema: freshSchema(), migrate: true })
    const turn = newTurn()
    await store.open(turn)
    await store.close()
    await expect(store.read(turn.turnId)).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(store.append(appendAt(placeBehind(turn)))).rejects.toMatchObject({ code: 'store_unreachable' })
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it.each(['open', 'append', 'put'] as const)('waits for the disk at an %s, also where the server does not', async write => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const store = await openPostgres(pool, { schema: freshSchema(), migrate: true })
    const turn = newTurn()
    if (write !== 'open') await store.open(turn)
    await pool.query('begin')
    await pool.query('set local synchronous_commit = off')
    const writes = {
      open: () => store.open(turn),
      append: () => store.append(appendAt(placeBehind(turn))),
      put: () => store.blobs.put(turn.turnId, 'ab'.repeat(32), new Uint8Array([1])),
    }
    await writes[write]()
    expect((await pool.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }])
    await pool.query('rollback')
    await store.close()
    await pool.end()
  })
})
