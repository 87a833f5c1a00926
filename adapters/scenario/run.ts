// One run: the turn is opened and driven for real, people act, faults strike; at rest it is compared, and then the later steps are
// taken and compared.

import { setTimeout as sleep } from 'node:timers/promises'
import { ToolturnError } from '../../machines/errors.ts'
import { stateName } from '../../machines/state.ts'
import { crewApart, crewEmbedded } from './crew-apart.ts'
import { crewHere, type Crew } from './crew.ts'
import { armFaults, deletions, type Faults } from './faults.ts'
import type { Scenario } from './format.ts'
import { differencesIn, stepDifferences, type Difference, type Observed } from './judge.ts'
import { entriesOf, type LedgerEntry } from './ledger.ts'
import { peopleOf, type People } from './people.ts'
import { checkWhere, makePlace, type Where } from './places.ts'
import { planOf, type Plan } from './plan.ts'
import { processes, type Processes } from './processes.ts'
import { isAtRest, startTrack, type Track } from './track.ts'

export type ScenarioResult = {
  readonly name: string
  readonly ok: boolean
  readonly differences: readonly Difference[]
  /** Null when it was not opened. */
  readonly turn: string | null
  readonly ms: number
  /** What happened, for whoever wants to know why something differs. */
  readonly trace: { readonly events: Observed['events']; readonly ledger: readonly LedgerEntry[] }
}

/**
 * Runs a scenario in a place of its own, which is gone afterwards.
 *
 * @throws ToolturnError where it could not be run: `store_unreachable`, `bus_unreachable`, `option_invalid`, `internal`
 */
export async function runScenario(scenario: Scenario, where: Where): Promise<ScenarioResult> {
  const workers = processes()
  return runScenarioWith(workers, scenario, where).finally(() => workers.close())
}

/** The same, with worker processes that other runs use as well. */
export async function runScenarioWith(workers: Processes, scenario: Scenario, where: Where): Promise<ScenarioResult> {
  checkWhere(where)
  const started = performance.now()
  const leaving = new AsyncDisposableStack()
  const played = await stage(workers, scenario, where, leaving).catch(async (error: unknown) => {
    await leaving.disposeAsync().catch(() => {
      // What went wrong in the run says more.
    })
    throw error
  })
  await leaving.disposeAsync()
  return { name: scenario.name, ok: played.differences.length === 0, ...played, ms: Math.round(performance.now() - started) }
}

async function stage(workers: Processes, scenario: Scenario, where: Where, leaving: AsyncDisposableStack): Promise<Played> {
  const plan = planOf(scenario, await makePlace(where, leaving))
  const faults = armFaults(scenario.faults ?? [])
  const crew = await hire(plan, faults, where.inProcess, workers, leaving)
  return play(plan, crew)
}

function hire(plan: Plan, faults: Faults, inProcess: boolean, workers: Processes, leaving: AsyncDisposableStack): Promise<Crew> {
  const { kind } = plan.address.store
  if (inProcess || kind === 'memory') return crewHere(plan, faults, leaving)
  return kind === 'embedded' ? crewEmbedded(plan, faults, workers, leaving) : crewApart(plan, faults, workers, leaving)
}

type Played = Pick<ScenarioResult, 'differences' | 'turn' | 'trace'>

async function play({ scenario }: Plan, crew: Crew): Promise<Played> {
  const { turnId, code } = await crew.desk.spawn()
  if (turnId === null) return { differences: differencesIn(scenario.expect, unopened(code)), turn: null, trace: { events: [], ledger: crew.ledger.entries() } }
  const track = await startTrack(crew.desk, turnId)
  const people = peopleOf(scenario.people ?? [], crew.desk, track)
  people.see(track.events(), track.state())
  const rested = await untilRest(crew, track, people)
  const differences = rested ? [...differencesIn(scenario.expect, observe(crew, track, people))] : [stuck('rest', track)]
  if (rested) for await (const found of laterSteps(scenario, crew, track, people)) differences.push(...found)
  return { differences, turn: turnId, trace: { events: track.events(), ledger: crew.ledger.entries() } }
}

/** Takes the steps one after the other, and compares what came of each. */
async function* laterSteps(scenario: Scenario, crew: Crew, track: Track, people: People): AsyncGenerator<readonly Difference[]> {
  const { then: steps = [], expect } = scenario
  const expected = expect.then ?? []
  for (const [index, { do: what }] of steps.entries()) {
    if (steps.findIndex(step => step.do === 'replay') === index) await loseRecords(scenario, crew, track)
    const before = count(crew)
    const told = await crew.desk.step(track.turnId, what)
    const taken = what === 'retry' && told.code === null
    if (taken && !(await untilRest(crew, track, people))) yield [stuck(`then/${index}/rest`, track)]
    const after = count(crew)
    yield stepDifferences(index, expected[index] ?? {}, {
      state: told.state ?? stateName(track.state()),
      code: taken ? codeOf(track) : told.code,
      executions: after.executions - before.executions,
      modelCalls: after.modelCalls - before.modelCalls,
    })
  }
  yield expected.slice(steps.length).map((each, index) => ({ path: `then/${steps.length + index}`, expected: each, actual: null }))
}

function stuck(path: string, track: Track): Difference {
  return { path, expected: 'an end, or a wait for a person', actual: stateName(track.state()) }
}

function codeOf(track: Track): string | null {
  return track.state().end?.code ?? null
}

const POLL_MS = 10
/** A turn in which nothing happens for so long is stuck, whatever it waits for. */
const STUCK_MS = 120_000

/**
 * Waits for an end, or until the turn waits for somebody and nobody is left to act. Executions that come late are waited for.
 *
 * @returns false when the turn is stuck
 */
async function untilRest(crew: Crew, track: Track, people: People): Promise<boolean> {
  const moves = async () => {
    const fresh = await track.readOn()
    people.see(fresh, track.state())
    return fresh.length > 0
  }
  const rests = async () => isAtRest(track.state()) && people.areDone() && (await crew.isQuiet()) && !(await moves())
  for (let moved = performance.now(); performance.now() - moved < STUCK_MS; ) {
    crew.check()
    people.check()
    if (await moves()) moved = performance.now()
    else if (await rests()) return true
    else await sleep(POLL_MS)
  }
  return false
}

function observe({ ledger }: Crew, track: Track, people: People): Observed {
  return { state: track.state(), code: null, events: track.events(), ledger: ledger.entries(), resolutions: people.words() }
}

function unopened(code: string | null): Observed {
  return { state: null, code, events: [], ledger: [], resolutions: [] }
}

function count({ ledger }: Crew): { readonly executions: number; readonly modelCalls: number } {
  return { executions: entriesOf(ledger, 'execution').length, modelCalls: entriesOf(ledger, 'request').length }
}

async function loseRecords(scenario: Scenario, { desk }: Crew, track: Track): Promise<void> {
  for (const { deleteRecord, nth = 1 } of deletions(scenario)) {
    const lost = track.events().filter(event => event.type === deleteRecord)[nth - 1]
    if (lost === undefined) throw new ToolturnError('scenario_invalid', `There are fewer than ${nth} events ${deleteRecord} to lose.`, { event: deleteRecord, nth })
    await desk.damage(track.turnId, lost.version)
  }
}
