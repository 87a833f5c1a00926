// Goal: recorded conversations on Postgres, under workers that are really killed, come through byte for byte.

import { afterAll, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { silentLog } from '../../adapters/log.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { until } from '../bus/world.ts'
import { openEffects } from '../kills/effects.ts'
import { orderAt } from '../kills/generations.ts'
import { makeRoom, storeAt } from '../kills/room.ts'
import { plansIn, stopsOf } from '../kills/stops.ts'
import { NOWHERE, startWorker } from '../kills/worker-process.ts'
import { describeWithPostgres, freshSchema } from '../servers.ts'
import { castOf, spawnOf } from './cast.ts'
import { expectByteForByte } from './compare.ts'
import { deathIn } from './deaths.ts'
import { callsIn, readRecorded, writesIn, type Conversation, type Recorded, type Stretch } from './recorded.ts'

const CONVERSATIONS = 6
/** In so many turns of a conversation its worker is killed: in those with the most calls. */
const KILLS_EACH = 2
const CHILD = new URL('./child.ts', import.meta.url)

const recorded = readRecorded()

describeWithPostgres('recorded conversations under workers that are killed', postgres => {
  if (recorded === null) it.skip('NOT TESTED: no ../shared/data/airline')
  else it('come through byte for byte, and nothing is booked twice', () => playAll(recorded, postgres))
})

const leaving = new AsyncDisposableStack()
afterAll(() => leaving.disposeAsync())

async function playAll(all: Recorded, postgres: string): Promise<void> {
  const chosen = all.conversations.toSorted((a, b) => writesIn(b) - writesIn(a)).slice(0, CONVERSATIONS)
  const room = await makeRoom({ url: postgres, schema: freshSchema() }, null, leaving)
  const store = leaving.adopt(await storeAt(room.address).open(silentLog), opened => opened.close())
  const effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
  const cast = castOf(all)({ effects, at: NOWHERE, planOf: plansIn(store) })
  const desk = await createRuntime({ ...cast, drive: false, store: storeAt(room.address) })
  leaving.defer(() => desk.close())

  const stops = stopsOf(new Map(chosen.flatMap(busiest).map(stretch => [stretch.plan, [deathIn(stretch).place]])))
  let worker = await startWorker(orderAt(room), leaving, stops.at, CHILD)
  let killed = 0
  const ended: Played[] = []
  const playing = Promise.all(chosen.map(each => playThrough(desk, each).then(played => ended.push(played))))
  const isStill = () => stops.held() + ended.length === chosen.length
  for (await until('a stop of each', isStill); stops.held() > 0; await until('a stop of each', isStill)) {
    await worker.kill()
    killed += 1
    stops.moveOn()
    worker = await startWorker({ ...orderAt(room), dead: worker.enlisted() }, leaving, stops.at, CHILD)
  }
  await playing

  expect(killed).toBe(KILLS_EACH)
  for (const { conversation, turns } of ended) await expectByteForByte(desk, conversation, turns)
  expect(await desk.verify()).toMatchObject({ ok: true, turns: ended.flatMap(({ turns }) => turns).length })
  expect(effects.deeds().length).toBe(chosen.reduce((sum, each) => sum + writesIn(each), 0))
}

function busiest({ stretches }: Conversation): readonly Stretch[] {
  return stretches.toSorted((a, b) => callsIn(b) - callsIn(a)).slice(0, KILLS_EACH)
}

type Played = { readonly conversation: Conversation; readonly turns: readonly string[] }

/** Every stretch as a turn that follows the one before. */
async function playThrough(desk: Runtime, conversation: Conversation): Promise<Played> {
  const turns: string[] = []
  for (const stretch of conversation.stretches) {
    const turn = await desk.spawn(spawnOf(stretch, turns.at(-1)))
    expect(await turn.result(), stretch.plan).toMatchObject({ state: 'completed' })
    turns.push(turn.id)
  }
  return { conversation, turns }
}
