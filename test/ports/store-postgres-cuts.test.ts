// A lost connection is not an answer: wherever an append is cut, its writer hears what became of it, and it stands once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../machines/ports/store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { cuttingProxy, type Cut, type CuttingProxy } from './cutting-proxy.ts'
import { withSession } from './postgres-rows.ts'
import { versions } from './stage.ts'
import { upTo } from './stage.ts'
import { appendAt, newTurn, placeBehind } from './streams.ts'

const CUTS: readonly Cut[] = ['before', 'within', 'after']

describeWithPostgres('an append whose connection is cut', url => {
  const schema = freshSchema()
  let proxy: CuttingProxy
  let store: Store
  let watcher: Store

  beforeAll(async () => {
    proxy = await cuttingProxy(url)
    watcher = await openPostgres(url, { schema, migrate: true })
    store = await openPostgres(proxy.url, { schema })
  })
  afterAll(async () => {
    await store.close()
    await watcher.close()
    await proxy.close()
  })

  it.each(CUTS)('is accepted once when it is cut %s its statement', async cut => {
    const turn = newTurn()
    await store.open(turn)
    const append = appendAt(placeBehind(turn))
    const wasCut = proxy.cutNext(cut, turn.turnId)
    expect(await store.append(append)).toEqual({ answer: 'accepted' })
    await wasCut
    expect(await watcher.read(turn.turnId)).toEqual([...turn.events, ...append.events])
  })

  it.each(CUTS)('opens a turn once when it is cut %s its statement', async cut => {
    const turn = newTurn({ key: `key ${cut}` })
    const wasCut = proxy.cutNext(cut, turn.turnId)
    expect(await store.open(turn)).toEqual({ answer: 'opened' })
    await wasCut
    expect(await watcher.read(turn.turnId)).toEqual(turn.events)
  })

  it('is accepted when its answer was lost and others have appended and claimed since', async () => {
    const turn = newTurn({ runtime: 'lost answer' })
    await store.open(turn)
    const append = appendAt(placeBehind(turn))
    const wasCut = proxy.cutNext('after', turn.turnId)
    const answer = store.append(append)
    await wasCut
    await watcher.append(appendAt(placeBehind(append)))
    expect(await answer).toEqual({ answer: 'accepted' })
    expect(versions(await watcher.read(turn.turnId))).toEqual([1, 2, 3])
  })

  it('and another one of the same version: one is accepted, the other moved', async () => {
    const turn = newTurn()
    await store.open(turn)
    const wasCut = proxy.cutNext('before', turn.turnId)
    const cut = store.append(appendAt(placeBehind(turn)))
    await wasCut
    const answers = await Promise.all([cut, watcher.append(appendAt(placeBehind(turn)))])
    expect(answers.map(each => each.answer).sort()).toEqual(['accepted', 'moved'])
    expect(versions(await watcher.read(turn.turnId))).toEqual([1, 2])
  })

  it('is accepted once when the server ends its session in the middle', async () => {
    const turn = newTurn()
    await store.open(turn)
    const append = appendAt(placeBehind(turn))
    const answer = await withSession(url, async session => {
      await session.query('begin')
      await session.query(`lock table "${schema}".appends in exclusive mode`)
      const sent = store.append(append)
      await waitForBlocked(schema)
      await session.query('commit')
      return sent
    })
    expect(answer).toEqual({ answer: 'accepted' })
    expect(await watcher.read(turn.turnId)).toEqual([...turn.events, ...append.events])
  })

  /** Waits until a session waits for the lock on the events, and ends that session. */
  async function waitForBlocked(name: string): Promise<void> {
    await withSession(url, async session => {
      for (;;) {
        const { rows } = await session.query(
          `select pg_terminate_backend(l.pid) from pg_locks l
          where not l.granted and l.relation = $1::regclass`,
          [`"${name}".appends`],
        )
        if (rows.length > 0) return
      }
    })
  }
})

describeWithPostgres('a store that is closed while the server ends its sessions', url => {
  it('harms nobody', async () => {
    const schema = freshSchema()
    const named = new URL(url)
    named.searchParams.set('application_name', schema)
    await openPostgres(named.href, { schema, migrate: true }).then(store => store.close())
    await withSession(url, async session => {
      for (let round = 0; round < 20; round += 1) {
        const store = await openPostgres(named.href, { schema })
        await Promise.all(upTo(10).map(() => store.now()))
        const ended = session.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [schema])
        await Promise.all([ended, store.close()])
      }
    })
    await expect(openPostgres(url, { schema }).then(store => store.close())).resolves.toBeUndefined()
  })
})

describeWithPostgres('a store without a server', () => {
  it('says so', async () => {
    await expect(openPostgres('postgres://nobody@127.0.0.1:1/none')).rejects.toMatchObject({ code: 'store_unreachable' })
  })
})

describe('the address of a store', () => {
  it('is refused when it is none', async () => {
    await expect(openPostgres('mysql://x')).rejects.toMatchObject({ code: 'option_invalid' })
  })
})
