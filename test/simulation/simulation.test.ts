// Goal: whatever dies, stands still, gets lost, comes late or twice: the rules of the contract hold, and every turn comes to its end.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { simulate } from './run.ts'
import { runSeeds } from './slices.ts'

const RUNS = 1_500

test(`${RUNS} runs are sound`, { timeout: 900_000 }, async () => {
  const { failures, sums } = await runSeeds(1, RUNS)
  expect(failures.map(({ seed, broken }) => `npm run sim -- --runs 1 --seed ${seed}: ${broken}`)).toEqual([])
  expect(sums.runs).toBe(RUNS)
})

describe('a seed', () => {
  test('gives the same run again, also in another process', async () => {
    const [first, second] = [await simulate('7'), await simulate('7')]
    expect(second.lines).toEqual(first.lines)
    const shown = execFileSync(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url)), '--runs', '1', '--seed', '7'], {
      encoding: 'utf8',
    })
    expect(shown).toContain(first.digest.slice(0, 16))
  })

  test('gives another run than the next one', async () => {
    expect((await simulate('7')).digest).not.toBe((await simulate('8')).digest)
  })
})
