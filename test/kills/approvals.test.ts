// Goal: of many who agree to one call at once, in two processes, one is the first; the call runs once, and all others are told what
// was decided.

import { afterAll, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { approvalId } from '../../machines/ids.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { openEffects } from './effects.ts'
import { ANA, callOnce, orderAt, spawnOf } from './generations.ts'
import { makeRoom, storeAt } from './room.ts'
import { NOWHERE, startWorker } from './worker-process.ts'

const EACH = 10
const HOLDS = 5

describeWithPostgres('many decisions on one call, in two processes', postgres => {
  const leaving = new AsyncDisposableStack()
  afterAll(() => leaving.disposeAsync())

  it('give one grant, one run, and the stored decision to all others', async () => {
    const room = await makeRoom({ url: postgres, schema: freshSchema() }, null, leaving)
    const effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
    const far = await startWorker({ ...orderAt(room), watched: false }, leaving, NOWHERE)
    const web = await createRuntime({ drive: false, store: storeAt(room.address) })
    leaving.defer(() => web.close())

    for (let hold = 1; hold <= HOLDS; hold += 1) {
      const { id } = await far.ask('spawn', spawnOf({ name: `hold ${hold}`, script: callOnce('pay', { asks: true }) }))
      const turn = await web.get(id)
      expect(await turn.result()).toMatchObject({ state: 'holding' })
      const approval = approvalId(id, 1, 1)
      const decisions = Array.from({ length: EACH }, () => [
        web.approve(approval, { as: ANA, via: 'app' }),
        far.ask('approve', approval, { as: ANA, via: 'app' }),
      ])
      const answers = await Promise.allSettled(decisions.flat())
      const turnedDown = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
      expect(turnedDown.length).toBe(EACH * 2 - 1)
      for (const { reason } of turnedDown) expect(reason).toMatchObject({ code: 'approval_already_resolved' })
      // What crosses to another process by this channel is the code; here the details are looked at as well.
      const here = turnedDown.filter(({ reason }) => 'decision' in reason.details)
      expect(here.length).toBeGreaterThanOrEqual(EACH - 1)
      for (const { reason } of here) expect(reason.details).toMatchObject({ decision: 'granted' })

      const events = []
      for await (const event of turn.events()) events.push(event.type)
      expect(events.filter(type => type.startsWith('approval.'))).toEqual(['approval.granted'])
      expect(events.filter(type => type === 'call.dispatched').length).toBe(1)
    }
    expect(effects.deeds().map(({ plan }) => plan)).toEqual(Array.from({ length: HOLDS }, (_, index) => `hold ${index + 1}`))
  })
})
