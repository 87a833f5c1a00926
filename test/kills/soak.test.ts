// Goal: the whole system at once, on real servers: workers that die every second, a web process that opens turns and takes decisions,
// and a subscriber. In the end every turn rests rightly, nothing was done twice, and everything was told once, in order.

import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { silentLog } from '../../adapters/log.ts'
import { link } from '../../adapters/scenario/link.ts'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { until } from '../bus/world.ts'
import { describeWithServers, freshPrefix, freshSchema } from '../servers.ts'
import { castOf } from './cast.ts'
import { hire } from './crew.ts'
import { isApproved, memberOf, wrongWith } from './crowd.ts'
import { openEffects, type Effects } from './effects.ts'
import { ANA, hasEnded, orderAt, planOfRow, spawnOf } from './generations.ts'
import { busAt, makeRoom, storeAt, type Address } from './room.ts'
import { plansIn } from './stops.ts'
import { NOWHERE } from './worker-process.ts'

const KILLS = 12
/** Between two kills, and then until the crew is complete again: how long that takes is the machine's affair. */
const PAUSE_MS = 1_000
/** One dies unseen: its turns wait until its lease runs out. */
const UNSEEN = 2
const OPEN_AT_ONCE = 40
const MOST_TURNS = 600

describeWithServers('a crowd of turns under workers that die every second', ({ postgres, nats }) => {
  const leaving = new AsyncDisposableStack()
  let web: Runtime
  let effects: Effects
  let told: (turnIds: readonly string[]) => Promise<readonly (readonly number[])[]>

  beforeAll(async () => {
    const room = await makeRoom({ url: postgres, schema: freshSchema() }, { url: nats, prefix: freshPrefix() }, leaving)
    const store = leaving.adopt(await storeAt(room.address).open(silentLog), opened => opened.close())
    effects = leaving.adopt(openEffects(room.effects), opened => opened.close())
    told = await startSubscriber(room.address, leaving)
    const cast = castOf({ effects, at: NOWHERE, planOf: plansIn(store) })
    web = await createRuntime({ ...cast, drive: false, store: storeAt(room.address), bus: busAt(room.address) })
    leaving.defer(() => web.close())
    const crew = await hire(3, { ...orderAt(room), watched: false }, store, leaving)

    const visitors = new AbortController()
    const crowd = keepSpawning(web, visitors.signal)
    const people = new AbortController()
    const inbox = keepDeciding(web, people.signal)
    leaving.defer(async () => {
      visitors.abort()
      people.abort()
      await Promise.all([crowd, inbox])
    })
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(PAUSE_MS)
      await crew.complete()
      await crew.killOne(kill === UNSEEN ? 'left to the clock' : 'ended')
    }
    visitors.abort()
    await Promise.all([crowd, crew.complete()])
    await until('the end of every turn', async () => (await turnsOf(web)).every(hasEnded), 60_000)
  }, 480_000)

  afterAll(() => leaving.disposeAsync())

  it('leaves every turn at an end that is right, with nothing done twice', async () => {
    const deeds = Map.groupBy(effects.deeds(), ({ plan }) => plan)
    const wrong = (await turnsOf(web)).flatMap(row => wrongWith(row, deeds.get(planOfRow(row)) ?? []) ?? [])
    expect(wrong).toEqual([])
  })

  it('had turns to recover, and calls to run again', async () => {
    expect(Math.max(...(await turnsOf(web)).map(({ epoch }) => epoch))).toBeGreaterThan(1)
    expect(Math.max(...effects.runs().map(({ dispatch }) => dispatch))).toBeGreaterThan(1)
  })

  it('told the subscriber every version once, in order, and knows that it did', async () => {
    const isPublished = ({ published, version }: TurnRow) => published === version
    await until('every version published', async () => (await turnsOf(web)).every(isPublished))
    const turns = await turnsOf(web)
    const lacking = async () => {
      const seen = await told(turns.map(({ turnId }) => turnId))
      return turns.flatMap(({ turnId, version }, index) => {
        const versions = seen[index] ?? []
        const isWhole = versions.length === version && versions.every((each, at) => each === at + 1)
        return isWhole ? [] : [`${turnId} at ${version}: ${versions.join(' ')}`]
      })
    }
    await until('every version told', async () => (await lacking()).length === 0).catch(() => undefined)
    expect(await lacking()).toEqual([])
  })

  it('keeps histories that verify, and a feed that agrees with them', async () => {
    const { ok, findings, turns } = await web.verify()
    expect(findings).toEqual([])
    expect([ok, turns]).toEqual([true, (await turnsOf(web)).length])
  })
})

async function startSubscriber(address: Address, leaving: AsyncDisposableStack) {
  const child = fork(new URL('./subscriber.ts', import.meta.url), { execArgv: [] })
  leaving.defer(() => void child.kill('SIGKILL'))
  const channel = link(
    frame => child.connected && child.send(frame),
    () => ({}),
  )
  child.on('message', channel.receive)
  child.on('exit', channel.cut)
  await channel.ask('begin', address)
  return async (turnIds: readonly string[]) => (await channel.ask('told', turnIds)) as readonly (readonly number[])[]
}

async function turnsOf(web: Runtime): Promise<readonly TurnRow[]> {
  return (await web.list({ limit: 1000 })).turns
}

/** Opens a turn whenever there is room, until nobody comes any more. */
async function keepSpawning(web: Runtime, signal: AbortSignal): Promise<void> {
  for (let index = 0; index < MOST_TURNS && !signal.aborted; ) {
    const open = (await turnsOf(web)).filter(turn => !hasEnded(turn)).length
    for (let room = OPEN_AT_ONCE - open; room > 0; room -= 1) await web.spawn(spawnOf(memberOf(index++)))
    await sleep(100)
  }
}

/** Somebody looks at the inbox again and again. */
async function keepDeciding(web: Runtime, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { approvalId, turnId } of (await web.approvals()).approvals) {
      const { row } = await web.show(turnId)
      if (isApproved(planOfRow(row))) await web.approve(approvalId, { as: ANA, via: 'app' })
      else await web.deny(approvalId, { as: ANA, via: 'app', reason: 'no' })
    }
    await sleep(100)
  }
}
