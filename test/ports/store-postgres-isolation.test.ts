// Appends ride together and fail alone. A locked turn delays nobody else, and is told so when it stays locked.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from '../../machines/ports/store.ts'
import { openPostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { withSession } from './postgres-rows.ts'
import { upTo, versions } from './stage.ts'
import { appendAt, callRecorded, holdRow, newTurn, placeBehind } from './streams.ts'

describeWithPostgres('appends that ride together', url => {
  const schema = freshSchema()
  let store: Store

  beforeAll(async () => {
    store = await openPostgres(url, { schema, migrate: true })
  })
  afterAll(() => store.close())

  const openTurns = async (count: number) => {
    const turns = upTo(count).map(() => newTurn())
    await Promise.all(turns.map(turn => store.open(turn)))
    return turns
  }

  it('fail alone where a constraint is broken, and their neighbours land', async () => {
    const turns = await openTurns(40)
    const taken = holdRow(placeBehind(turns[0]!))
    await store.append(appendAt(placeBehind(turns[0]!), { approvals: { open: [taken], settle: [] } }))
    const answers = await Promise.all(
      turns.slice(1).map((turn, index) => {
        const row = { ...holdRow(placeBehind(turn)), reason: 'a secret reason' }
        const open = index % 13 === 5 ? { ...row, approvalId: taken.approvalId } : row
        return store.append(appendAt(placeBehind(turn), { approvals: { open: [open], settle: [] } }))
      }),
    )
    for (const [index, answer] of answers.entries()) {
      const bad = index % 13 === 5
      expect(answer.answer).toBe(bad ? 'failed' : 'accepted')
      expect(versions(await store.read(turns[index + 1]!.turnId))).toEqual(bad ? [1] : [1, 2])
    }
  })

  it('fail with the name of the constraint and none of the content', async () => {
    const [turn, other] = await openTurns(2)
    const row = holdRow(placeBehind(turn!), { reason: 'a secret reason', arguments: { card: '4111' } })
    await store.append(appendAt(placeBehind(turn!), { approvals: { open: [row], settle: [] } }))
    const again = { ...row, turnId: other!.turnId }
    const answer = await store.append(appendAt(placeBehind(other!), { approvals: { open: [again], settle: [] } }))
    expect(answer).toMatchObject({ answer: 'failed', error: { details: { sqlstate: '23505', constraint: 'approvals_pkey' } } })
    const error = answer.answer === 'failed' ? answer.error : new Error()
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/secret|4111/)
  })

  it('fail alone where the door finds them wrong', async () => {
    const [good, bad] = await openTurns(2)
    const wrong = appendAt(placeBehind(bad!), { facts: [callRecorded(1)] })
    const answers = await Promise.all([
      store.append(appendAt(placeBehind(good!))),
      store.append({ ...wrong, events: wrong.events.map(event => ({ ...event, data: { changed: true } })) }),
      store.append({ ...wrong, events: wrong.events.map(event => ({ ...event, worked: 7 })) }),
    ])
    expect(answers.map(answer => answer.answer)).toEqual(['accepted', 'failed', 'failed'])
  })

  it('go in while the row of one of them is locked, which is then told that it is busy', async () => {
    const turns = await openTurns(10)
    const [locked, ...free] = turns
    await withSession(url, async session => {
      await session.query('begin')
      await session.query(`select 1 from "${schema}".turns where turn_id = $1 for update`, [locked!.turnId])
      const waits = store.append(appendAt(placeBehind(locked!)))
      const answers = await Promise.all(free.map(turn => store.append(appendAt(placeBehind(turn)))))
      expect(answers.map(answer => answer.answer)).toEqual(free.map(() => 'accepted'))
      expect(await waits).toEqual({ answer: 'busy' })
      await session.query('rollback')
    })
    expect(versions(await store.read(locked!.turnId))).toEqual([1])
  })

  it('go in late when the lock ends in time', async () => {
    const [turn] = await openTurns(1)
    await withSession(url, async session => {
      await session.query('begin')
      await session.query(`select 1 from "${schema}".turns where turn_id = $1 for update`, [turn!.turnId])
      const waits = store.append(appendAt(placeBehind(turn!)))
      await store.now()
      await session.query('commit')
      expect(await waits).toEqual({ answer: 'accepted' })
    })
  })
})
