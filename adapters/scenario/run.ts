// One run of a scenario, in a place of its own, from an empty store to nothing left.

import { crewApart } from './crew-apart.ts'
import { crewEmbedded } from './crew-embedded.ts'
import { crewHere, type Crew } from './crew.ts'
import { armFaults } from './faults.ts'
import type { Scenario } from './format.ts'
import { checkWhere, keepWarmFor, makePlace, type Place, type Where } from './places.ts'
import { planOf } from './plan.ts'
import { play, type Played } from './play.ts'
import type { Warm } from './warm.ts'

export type ScenarioResult = Played & {
  readonly name: string
  readonly ok: boolean
  readonly ms: number
}

/**
 * Runs a scenario: really, on the store and the bus that are named, with a worker process that is really killed.
 *
 * @throws ToolturnError where it could not be run: `store_unreachable`, `bus_unreachable`, `option_invalid`, `internal`
 */
export async function runScenario(scenario: Scenario, where: Where): Promise<ScenarioResult> {
  const warm = keepWarmFor(where)
  try {
    return await runScenarioWith(warm, scenario, where)
  } finally {
    await warm.close()
  }
}

/** The same, with what other runs use as well. */
export async function runScenarioWith(warm: Warm, scenario: Scenario, where: Where): Promise<ScenarioResult> {
  checkWhere(where)
  const started = performance.now()
  const leaving = new AsyncDisposableStack()
  const played = await stage(warm, scenario, where, leaving).catch(async (error: unknown) => {
    await leaving.disposeAsync().catch(() => {
      // What went wrong in the run says more.
    })
    throw error
  })
  await leaving.disposeAsync()
  return { name: scenario.name, ok: played.differences.length === 0, ...played, ms: Math.round(performance.now() - started) }
}

/**
 * True where the worker is a process of its own: on a server always, as in production; on an embedded store, which one process has at
 * a time, only where a worker is killed.
 */
export function runsApart({ faults = [] }: Scenario, { store, inProcess }: Where): boolean {
  if (inProcess || store === 'memory:') return false
  return !store.startsWith('pglite:') || faults.some(fault => 'kill' in fault)
}

async function stage(warm: Warm, scenario: Scenario, where: Where, leaving: AsyncDisposableStack): Promise<Played> {
  const apart = runsApart(scenario, where)
  return play(scenario, await hire(scenario, await makePlace(where, apart, warm, leaving), apart, warm, leaving))
}

function hire(scenario: Scenario, place: Place, apart: boolean, { processes }: Warm, leaving: AsyncDisposableStack): Promise<Crew> {
  const plan = planOf(scenario, place)
  const faults = armFaults(scenario.faults ?? [])
  if (!apart) return crewHere(plan, place.source, faults, leaving)
  return place.source.kind === 'embedded' ? crewEmbedded(plan, faults, processes, leaving) : crewApart(plan, faults, processes, leaving)
}
