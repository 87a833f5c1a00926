// One run of a scenario, in a place of its own, from an empty store to nothing left.

import { crewApart } from './crew-apart.ts'
import { crewEmbedded } from './crew-embedded.ts'
import { crewHere, type Crew } from './crew.ts'
import { armFaults } from './faults.ts'
import type { Scenario } from './format.ts'
import { checkWhere, makeEmptyStore, makePlace, type Where } from './places.ts'
import { planOf, type Plan } from './plan.ts'
import { play, type Played } from './play.ts'
import type { Processes } from './processes.ts'
import { keepWarm, type Warm } from './warm.ts'

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
  const warm = keepWarm(makeEmptyStore)
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

async function stage(warm: Warm, scenario: Scenario, where: Where, leaving: AsyncDisposableStack): Promise<Played> {
  const plan = planOf(scenario, await makePlace(where, warm.emptyStore, leaving))
  return play(scenario, await hire(plan, where.inProcess, warm.processes, leaving))
}

function hire(plan: Plan, inProcess: boolean, workers: Processes, leaving: AsyncDisposableStack): Promise<Crew> {
  const faults = armFaults(plan.scenario.faults ?? [])
  const { kind } = plan.address.store
  if (inProcess || kind === 'memory') return crewHere(plan, faults, leaving)
  return kind === 'embedded' ? crewEmbedded(plan, faults, workers, leaving) : crewApart(plan, faults, workers, leaving)
}
