// The course of a run: the turn is opened, people act, faults strike; at rest it is compared, and then the later steps are taken and
// compared, one after the other.

import { setTimeout as sleep } from 'node:timers/promises'
import { ToolturnError } from '../../machines/errors.ts'
import { stateName } from '../../machines/state.ts'
import type { Crew } from './crew.ts'
import { deletions } from './faults.ts'
import type { Scenario } from './format.ts'
import { differencesIn, stepDifferences, type Came, type Difference, type Observed } from './judge.ts'
import { entriesOf, type LedgerEntry } from './ledger.ts'
import { peopleOf, type People } from './people.ts'
import { isAtRest, startTrack, type Track } from './track.ts'

export type Played = {
  readonly differences: readonly Difference[]
  /** Null when it was not opened. */
  readonly turn: string | null
  /** What happened, for whoever wants to know why something differs. */
  readonly trace: { readonly events: Observed['events']; readonly ledger: readonly LedgerEntry[] }
}

/** What a run is played with, once its turn is open. */
type Scene = { readonly scenario: Scenario; readonly crew: Crew; readonly track: Track; readonly people: People }

export async function play(scenario: Scenario, crew: Crew): Promise<Played> {
  const { turnId, code } = await crew.desk.spawn()
  if (turnId === null) return unopened(scenario, crew, code)
  const track = await startTrack(crew.desk, turnId)
  const people = peopleOf(scenario.people ?? [], crew.desk, track)
  people.see(track.events(), track.state())
  const scene = { scenario, crew, track, people }
  const differences: Difference[] = []
  if (await untilRest(scene)) {
    differences.push(...differencesIn(scenario.expect, observed(scene)))
    for await (const found of laterSteps(scene)) differences.push(...found)
  } else {
    differences.push(stuck('rest', track))
  }
  return { differences, turn: turnId, trace: { events: track.events(), ledger: crew.ledger.entries() } }
}

function unopened({ expect }: Scenario, { ledger }: Crew, code: string | null): Played {
  const nothing: Observed = { state: null, code, events: [], ledger: ledger.entries(), resolutions: [] }
  return { differences: differencesIn(expect, nothing), turn: null, trace: nothing }
}

function observed({ crew, track, people }: Scene): Observed {
  return { state: track.state(), code: null, events: track.events(), ledger: crew.ledger.entries(), resolutions: people.words() }
}

const POLL_MS = 10
/** A turn in which nothing happens for so long is stuck, whatever it waits for. */
const STUCK_MS = 120_000

/**
 * Waits for an end, or until the turn waits for somebody and nobody is left to act. Executions that come late are waited for.
 *
 * @returns false when the turn is stuck
 */
async function untilRest({ crew, track, people }: Scene): Promise<boolean> {
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

function stuck(path: string, track: Track): Difference {
  return { path, expected: 'an end, or a wait for a person', actual: stateName(track.state()) }
}

async function* laterSteps(scene: Scene): AsyncGenerator<readonly Difference[]> {
  const { then: steps = [], expect } = scene.scenario
  const expected = expect.then ?? []
  for (const [index, { do: what }] of steps.entries()) {
    if (steps.findIndex(step => step.do === 'replay') === index) await loseRecords(scene)
    const came = await takeStep(scene, what)
    yield came === null ? [stuck(`then/${index}/rest`, scene.track)] : stepDifferences(index, expected[index] ?? {}, came)
  }
  yield expected.slice(steps.length).map((each, index) => ({ path: `then/${steps.length + index}`, expected: each, actual: null }))
}

/** @returns null when the turn is stuck */
async function takeStep(scene: Scene, what: 'replay' | 'retry' | 'verify'): Promise<Came | null> {
  const { crew, track } = scene
  const before = count(crew)
  const told = await crew.desk.step(track.turnId, what)
  const retried = what === 'retry' && told.code === null
  if (retried && !(await untilRest(scene))) return null
  const after = count(crew)
  return {
    state: told.state ?? stateName(track.state()),
    code: retried ? (track.state().end?.code ?? null) : told.code,
    executions: after.executions - before.executions,
    modelCalls: after.modelCalls - before.modelCalls,
  }
}

function count({ ledger }: Crew): { readonly executions: number; readonly modelCalls: number } {
  return { executions: entriesOf(ledger, 'execution').length, modelCalls: entriesOf(ledger, 'request').length }
}

async function loseRecords({ scenario, crew, track }: Scene): Promise<void> {
  for (const { deleteRecord, nth = 1 } of deletions(scenario)) {
    const lost = track.events().filter(event => event.type === deleteRecord)[nth - 1]
    if (lost === undefined) throw new ToolturnError('scenario_invalid', `There are fewer than ${nth} events ${deleteRecord} to lose.`)
    await crew.desk.damage(track.turnId, lost.version)
  }
}
