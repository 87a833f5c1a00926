// The real loop and supervisor on memory ports, under crashes before and after every port call, zombies, outages, delays, repeats and
// clock jumps, all drawn from a seed. Each run is held against the invariants of ARCHITECTURE.md.

import { expect, test } from 'vitest'
import { simulate } from './run.ts'

const BATCHES = 10
const RUNS_IN_A_BATCH = 50
const BATCH_MS = 240_000

test.each(Array.from({ length: BATCHES }, (_, batch) => 1 + batch * RUNS_IN_A_BATCH))(
  'every rule holds in the runs from seed %i on',
  async first => {
    for (let seed = first; seed < first + RUNS_IN_A_BATCH; seed += 1) {
      const { broken } = await simulate(String(seed))
      expect(broken, `again: npm run sim -- --runs 1 --seed ${seed} --lines`).toBeNull()
    }
  },
  BATCH_MS,
)

test('the same seed gives the same run', async () => {
  const [one, two] = [await simulate('20261130'), await simulate('20261130')]
  expect(two.digest).toBe(one.digest)
  expect(two.lines).toEqual(one.lines)
})
