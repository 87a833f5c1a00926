// Goal: without a bus nothing pretends to be published, and turns do not notice.

import { expect, test } from 'vitest'
import { memoryBroker } from '../../bus/memory.ts'
import { eventMessage } from '../../bus/message.ts'
import { noBus, noOutbox } from '../../bus/none.ts'
import { relay } from '../../bus/relay.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { manualClock } from './manual-clock.ts'
import { looseEvents, openTurn, quiet } from './world.ts'

test('everything that needs a bus is told that there is none', async () => {
  const bus = await noBus().open(quiet)
  const message = eventMessage(looseEvents(1)[0] as StoredEvent, {})
  await expect(bus.publish(message)).rejects.toMatchObject({ code: 'bus_unreachable' })
  await expect(bus.consume('a', { subject: 'turns.>', from: 'new' }, async () => {})).rejects.toMatchObject({ code: 'bus_unreachable' })
  bus.progress('progress.a.b', new Uint8Array())
  expect(await bus.health()).toEqual({ kind: 'none', server: '', reachable: false, messages: 0 })
  await bus.close()
})

test('what was committed without a bus is published when there is one', async () => {
  const clock = manualClock()
  const store = openMemory(memoryDatabase({ epochMs: () => 1_800_000_000_000 + clock.monotonic() }))
  const turn = await openTurn(store)
  noOutbox.committed(turn.events, {})
  expect(noOutbox.published(turn.turnId)).toBe(0)
  const broker = memoryBroker()
  const running = relay({ store, bus: broker.open(quiet), clock, log: quiet }, 'r1')
  await clock.tick(3000)
  expect(broker.kept('turns').map(({ id }) => id)).toEqual([`${turn.turnId}:1`])
  await running.close()
})
