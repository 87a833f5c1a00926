// Goal: where a consumer stands in a turn never goes back, also when it is asked about the turn twice at the same moment.

import { expect, it } from 'vitest'
import { beginPosition, openPosition } from '../../bus/consumer-position.ts'
import type { Store } from '../../machines/ports/store.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { appendTo, clock, openTurn, quiet } from './world.ts'

it('a look at a turn that took longer than the turn itself changes nothing', async () => {
  const store = openMemory(memoryDatabase())
  await beginPosition(store, 'reader', 'new')
  const { turnId } = await appendTo(store, await openTurn(store), 2)
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let looks = 0
  const turn: Store['turn'] = async id => {
    looks += 1
    if (looks === 1) {
      asked.resolve()
      await answered.promise
    }
    return store.turn(id)
  }
  const position = await openPosition({ store: { ...store, turn }, clock, log: quiet, leads: () => true }, 'reader', null)

  const slow = position.expect(turnId, 3)
  await asked.promise
  expect(await position.at(turnId)).toBe(0)
  await position.advance(turnId, 1)
  await position.advance(turnId, 2)
  answered.resolve()
  await slow

  expect(await position.at(turnId)).toBe(2)
  expect(await position.behind()).toEqual([{ turnId, version: 3 }])
  await position.close()
  await store.close()
})
