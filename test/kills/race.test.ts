// Goal: of two workers that go for the turns of a dead one at the same moment, one has each, and each call is dispatched once more.

import { afterAll, expect, it } from 'vitest'
import { silentLog } from '../../adapters/log.ts'
import { until } from '../bus/world.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { openEffects } from './effects.ts'
import { callOnce, hasEnded, orderAt, planOfRow, spawnOf, turnsOf, untilAllStand } from './generations.ts'
import { makeRoom, storeAt } from './room.ts'
import { stopsOf } from './stops.ts'
import { NOWHERE, startWorker } from './worker-process.ts'

const PLANS = Array.from({ length: 24 }, (_, index) => `orphan ${index + 1}`)

describeWithPostgres('two workers and the turns of a dead one', postgres => {
  const leaving = new AsyncDisposableStack()
  afterAll(() => leaving.disposeAsync())

  it('never drive one of them both', async () => {
    const room = await makeRoom({ url: postgres, schema: freshSchema() }, null, leaving)
    const store = leaving.adopt(await storeAt(room.address).open(silentLog), opened => opened.close())
    const effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
    const stops = stopsOf(new Map(PLANS.map(plan => [plan, ['begun']])))
    const first = await startWorker(orderAt(room), leaving, stops.at)
    const heirs = await Promise.all([1, 2].map(() => startWorker({ ...orderAt(room), watched: false }, leaving, NOWHERE)))
    await Promise.all(PLANS.map(name => first.ask('spawn', spawnOf({ name, script: callOnce('put') }))))
    await untilAllStand(first, stops)
    const orphans = await turnsOf(first)

    await first.kill()
    for (const worker of first.enlisted()) await store.retire(worker)
    await Promise.all(orphans.flatMap(({ turnId }) => heirs.map(heir => heir.ask('recover', turnId))))

    const rows = () => Promise.all(orphans.map(async ({ turnId }) => (await store.turn(turnId)) ?? expect.unreachable(turnId)))
    await until('the end of every turn', async () => (await rows()).every(hasEnded))
    for (const row of await rows()) {
      const plan = planOfRow(row)
      const runs = effects.runs().filter(run => run.plan === plan)
      expect(
        runs.map(({ dispatch }) => dispatch),
        plan,
      ).toEqual([1, 2])
      expect(runs[0]?.pid, plan).toBe(first.pid)
      expect(
        heirs.map(({ pid }) => pid),
        plan,
      ).toContain(runs[1]?.pid)
      expect(row, plan).toMatchObject({ state: 'completed', epoch: 2 })
    }
  })
})
