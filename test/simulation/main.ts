// The simulator on the command line.
//
//   npm run sim -- --runs 1000 [--seed 1]   as many seeds, over all processors; without a seed from a new one
//   npm run sim -- --runs 1 --seed 465      one run, with all that happens in it
//
// A line of a run says: virtual milliseconds since it began, who (`w1.2`: second start of the first worker, `p` a web process, `c`
// a consumer), and what. Turns are called by the last four digits of their ids; `e3` is epoch 3. `append 0130 5 attempt.started
// accepted` names turn, version, type and the store's answer.

import process from 'node:process'
import { parseArgs } from 'node:util'
import { simulate } from './run.ts'
import { runSeeds } from './slices.ts'
import type { Failure } from './slice.ts'

/** Lines of the first failure that are shown; the command shows all. */
const MOST_LINES = 200

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string' } } })
const runs = Number(values.runs)
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  console.error('usage: npm run sim -- --runs <whole number> [--seed <whole number>]')
  process.exitCode = 2
} else {
  process.exitCode = (runs === 1 ? await showRun(String(seed)) : await showRuns(seed, runs)) ? 0 : 1
}

/** @returns whether it is sound */
async function showRun(name: string): Promise<boolean> {
  const { plan, lines, broken, digest } = await simulate(name)
  console.log(JSON.stringify(plan))
  for (const line of lines) console.log(line)
  console.log(broken === null ? `seed ${name} is sound; the run is ${digest.slice(0, 16)}` : `seed ${name} fails: ${broken}`)
  return broken === null
}

async function showRuns(first: number, count: number): Promise<boolean> {
  const began = performance.now()
  let shown = 0
  const { failures, sums } = await runSeeds(first, count, failure => showFailure(failure, (shown += 1) === 1))
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const { turns, events, starts, deaths, virtualMs } = sums
  const hours = (virtualMs / 3_600_000).toFixed(1)
  console.log(`seeds ${first} to ${first + count - 1}: ${failures.length} fail`)
  console.log(
    `${turns} turns, ${events} events, ${starts} starts of tools, ${deaths} deaths of processes, ${hours} virtual hours in ${seconds} s`,
  )
  return failures.length === 0
}

function showFailure({ seed: failed, broken, lines }: Failure, whole: boolean): void {
  if (whole) for (const line of lines.slice(-MOST_LINES)) console.log(line)
  console.log(`seed ${failed} fails: ${broken}`)
  console.log(`  npm run sim -- --runs 1 --seed ${failed}`)
}
