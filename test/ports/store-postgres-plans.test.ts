// The statements of every turn go through indexes on tables as large as those in use, whatever plan is made for them.

import { beforeAll, expect, it } from 'vitest'
import { appendSql } from '../../store/append.ts'
import { feedSql } from '../../store/feed.ts'
import { unpublishedSql } from '../../store/outbox.ts'
import { claimSql, heartbeatSql } from '../../store/ownership.ts'
import { migratePostgres } from '../../store/postgres.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { fillTurns, withSession } from './postgres-rows.ts'

describeWithPostgres('in a table in use,', url => {
  const schema = freshSchema()

  beforeAll(async () => {
    await migratePostgres(url, { schema })
    await withSession(url, session => fillTurns(session, schema, 50_000))
  })

  it.each([
    ['an append', appendSql(schema, false, false), ['turns_pkey']],
    ['an append with approvals and boxes', appendSql(schema, true, true), ['turns_pkey', 'sealed_pkey']],
    ['a claim', claimSql(schema, false), ['turns_due']],
    ['a claim of one turn', claimSql(schema, true), ['turns_pkey']],
    ['a heartbeat', heartbeatSql(schema), ['turns_due', 'turns_pkey']],
    ['a page of the feed', feedSql(schema), ['appends_feed']],
    ['what is unpublished', unpublishedSql(schema), ['turns_lagging']],
  ])('the plan of %s goes through indexes', async (_, text, indexes) => {
    const plan = await genericPlan(text)
    expect(plan).not.toMatch(/Seq Scan on (turns|appends) /)
    for (const index of indexes) expect(plan).toContain(index)
  })

  /** The plan that is made once for all parameters, as a session makes it after a few runs. */
  async function genericPlan(text: string): Promise<string> {
    return withSession(url, async session => {
      await session.query(`set plan_cache_mode = force_generic_plan`)
      await session.query(`prepare p as ${text}`)
      const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(match => Number(match[1])))
      const { rows } = await session.query(`explain execute p(${Array.from({ length: count }, () => 'null').join(', ')})`)
      return rows.map(row => row['QUERY PLAN'] as string).join('\n')
    })
  }
})
