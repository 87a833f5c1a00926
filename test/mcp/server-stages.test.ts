// Goal: how far a call is comes before its result, and whoever does not listen any more disturbs nothing.

import { expect, test } from 'vitest'
import { tellStages } from '../../adapters/mcp/server/stages.ts'
import type { Event } from '../../machines/events.ts'

async function* versions(...all: readonly number[]) {
  for (const version of all) yield { version } as Event
}

test('all stages are told before the result, also to a client that takes them slowly', async () => {
  const told: number[] = []
  const stages = tellStages(
    () => versions(1, 2, 3),
    async ({ version }) => {
      await new Promise(resolve => setImmediate(resolve))
      told.push(version)
    },
  )
  await stages.until(3)
  expect(told).toEqual([1, 2, 3])
})

test('a client that has gone ends the telling, and not the call', async () => {
  const stages = tellStages(
    () => versions(1, 2, 3),
    () => Promise.reject(new Error('gone')),
  )
  await stages.until(3)
})
