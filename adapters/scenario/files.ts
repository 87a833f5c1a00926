// Running scenario files: some at a time, told in the order in which they were named.

import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join } from 'node:path'
import { ToolturnError } from '../../machines/errors.ts'
import type { Scenario } from './format.ts'
import type { Difference } from './judge.ts'
import { lane, type Lane } from './lane.ts'
import { checkWhere, keepWarmFor, type Where } from './places.ts'
import { readScenario } from './read.ts'
import { rulesShown } from './shown.ts'
import { runsApart, runScenarioWith, type ScenarioResult } from './run.ts'

export type ScenarioFilesOptions = Where & {
  /** A folder in which is kept, for each file, all that happened. */
  readonly report?: string
}

/** Where it is told: a value for programs, a text for people. */
export type ScenarioFilesOutput = {
  readonly answer: (value: unknown, text: () => string) => Promise<void>
  readonly note: (text: string) => void
}

/** What is printed of one file. */
export type FileReport = {
  readonly name: string | null
  readonly file: string
  /** The rules of the contract that it shows, where something says which. */
  readonly rules: readonly string[]
  readonly ok: boolean
  readonly differences: readonly Difference[]
  readonly turn: string | null
  readonly ms: number
  /** Why it could not be compared at all. */
  readonly error?: { readonly code: string; readonly message: string }
}

type Outcome = { readonly report: FileReport; readonly trace: ScenarioResult['trace'] | null }

/**
 * Runs scenario files and prints a line for each.
 *
 * @returns the exit code: 0 all as expected, 1 one differs or failed, 2 one is no scenario
 * @throws ToolturnError `option_invalid`, `store_unreachable`, `bus_unreachable`: nothing can be run there
 */
export async function runScenarioFiles(
  files: readonly string[],
  options: ScenarioFilesOptions,
  output: ScenarioFilesOutput,
): Promise<0 | 1 | 2> {
  if (files.length === 0) throw new ToolturnError('option_invalid', 'No scenario file was named.', { option: 'files' })
  checkWhere(options)
  const warm = keepWarmFor(options)
  const lanes = lanesOf(options)
  const reports: FileReport[] = []
  try {
    const work: Work = (scenario, isOver) =>
      lanes(scenario)(() => (isOver() ? Promise.reject(new Error('not begun')) : runScenarioWith(warm, scenario, options)))
    for await (const { report, trace } of inOrder(files, work)) {
      reports.push(report)
      await output.answer(report, () => textOf(report))
      if (options.report !== undefined) await keep(options.report, reports.length, report, trace)
    }
  } finally {
    await warm.close()
  }
  const differing = reports.filter(({ ok }) => !ok)
  output.note(`${reports.length} scenarios, ${reports.length - differing.length} as expected, ${differing.length} not`)
  if (differing.some(({ error }) => error?.code === 'scenario_invalid')) return 2
  return differing.length > 0 ? 1 : 0
}

/** Runs in this process cost little; one with processes of its own wants a processor. */
function lanesOf(where: Where): (scenario: Scenario) => Lane {
  const here = lane(8)
  const apart = lane(Math.min(4, availableParallelism()))
  return scenario => (runsApart(scenario, where) ? apart : here)
}

type Work = (scenario: Scenario, isOver: () => boolean) => Promise<ScenarioResult>

/** Gives the outcomes in the order of the files. What says that no scenario can be run stops what has not begun. */
async function* inOrder(files: readonly string[], work: Work): AsyncGenerator<Outcome> {
  let over = false
  const outcomes = files.map(file => runFile(file, scenario => work(scenario, () => over)))
  for (const outcome of outcomes) {
    outcome.catch(() => {
      // Told when it is its turn.
    })
  }
  try {
    for (const outcome of outcomes) yield await outcome
  } finally {
    over = true
    await Promise.allSettled(outcomes)
  }
}

/** What says that no scenario can be run, whichever it is. */
const HOPELESS: readonly string[] = ['store_unreachable', 'store_locked', 'bus_unreachable', 'schema_newer']

async function runFile(file: string, run: (scenario: Scenario) => Promise<ScenarioResult>): Promise<Outcome> {
  let scenario: Scenario | null = null
  try {
    scenario = await readScenario(file)
    const { trace, name, ...result } = await run(scenario)
    return { report: { name, file, rules: rulesShown(file), ...result }, trace }
  } catch (error) {
    if (!(error instanceof ToolturnError) || HOPELESS.includes(error.code)) throw error
    const { code, message } = error
    const unrun = { ok: false, differences: [], turn: null, ms: 0, error: { code, message } }
    return { report: { name: scenario?.name ?? null, file, rules: rulesShown(file), ...unrun }, trace: null }
  }
}

async function keep(folder: string, number: number, report: FileReport, trace: Outcome['trace']): Promise<void> {
  await mkdir(folder, { recursive: true })
  const name = `${String(number).padStart(3, '0')}-${basename(report.file, extname(report.file))}.json`
  await writeFile(join(folder, name), `${JSON.stringify({ ...report, ...trace }, null, 2)}\n`)
}

/** Most files show up to so much; what is longer moves its own row only. */
const RULES_COLUMN = 26

/** A row of the table: what came of it, the rules that it shows, what it is. */
function textOf({ ok, name, file, rules, differences, ms, error }: FileReport): string {
  const shown = rules.join(' ').padEnd(RULES_COLUMN)
  if (error !== undefined) return `BROKEN   ${shown}  ${error.code === 'scenario_invalid' ? '' : `${file}: `}${error.message}`
  const lines = differences.map(({ path, expected, actual }) => `        ${path}: expected ${inWords(expected)}, got ${inWords(actual)}`)
  return [`${ok ? 'ok     ' : 'DIFFERS'}  ${shown}  ${name} (${ms} ms)`, ...(ok ? [] : [`        ${file}`]), ...lines].join('\n')
}

const LONGEST = 400

function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
