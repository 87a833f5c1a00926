// The session that listens comes back when it was cut, and its loss harms nothing else.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../machines/ports/store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { withSession } from './postgres-rows.ts'
import { newTurn } from './streams.ts'

describeWithPostgres('the session that listens for wake-ups', url => {
  const schema = freshSchema()
  let store: Store

  beforeAll(async () => {
    store = await openPostgres(url, { schema, migrate: true })
  })
  afterAll(() => store.close())

  it('is opened again when the server ended it', async () => {
    const woken = new Set<string>()
    const stop = store.onWake(turnId => woken.add(turnId))
    await untilWoken(woken)
    expect(await endListeners()).toBeGreaterThan(0)
    await untilWoken(woken)
    stop()
  })

  it('may be closed before it was up', async () => {
    const short = await openPostgres(url, { schema })
    short.onWake(() => undefined)
    await short.close()
  })

  /** Opens turns that nobody owns until one of them is told. */
  async function untilWoken(woken: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const turn = newTurn()
      await store.open(turn)
      await store.now()
      if (woken.has(turn.turnId)) return
    }
  }

  async function endListeners(): Promise<number> {
    return withSession(url, async session => {
      const listening = `select pg_terminate_backend(pid) from pg_stat_activity where query = $1`
      const { rowCount } = await session.query(listening, [`listen "${schema}_wake"`])
      return rowCount ?? 0
    })
  }
})
