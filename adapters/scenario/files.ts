// Running scenario files: some at a time, told in the order in which they were named.

import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join } from 'node:path'
import { ToolturnError } from '../../machines/errors.ts'
import type { Scenario } from './format.ts'
import type { Difference } from './judge.ts'
import { checkWhere, makeEmptyStore, type Where } from './places.ts'
import { readScenario } from './read.ts'
import { runScenarioWith, type ScenarioResult } from './run.ts'
import { keepWarm, type Warm } from './warm.ts'

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
  const warm = keepWarm(makeEmptyStore)
  const reports: FileReport[] = []
  try {
    for await (const { report, trace } of inOrder(files, atOnce(options), file => runFile(file, options, warm))) {
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

/** Runs that share this process cost little; one with processes of its own wants a processor. */
function atOnce({ inProcess, store }: Where): number {
  return inProcess || store === 'memory:' ? 8 : Math.min(4, availableParallelism())
}

/** Works on some at a time and gives the results in the order of the list. A failure stops what has not begun. */
async function* inOrder<T, R>(list: readonly T[], most: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const begun: Promise<R>[] = []
  try {
    for (const item of list) {
      const result = work(item)
      result.catch(() => {
        // Told when it is its turn.
      })
      begun.push(result)
      if (begun.length >= most) yield await (begun.shift() as Promise<R>)
    }
    while (begun.length > 0) yield await (begun.shift() as Promise<R>)
  } finally {
    await Promise.allSettled(begun)
  }
}

/** What says that no scenario can be run, whichever it is. */
const HOPELESS: readonly string[] = ['store_unreachable', 'store_locked', 'bus_unreachable', 'schema_newer']

async function runFile(file: string, where: Where, warm: Warm): Promise<Outcome> {
  let scenario: Scenario | null = null
  try {
    scenario = await readScenario(file)
    const { trace, name, ...result } = await runScenarioWith(warm, scenario, where)
    return { report: { name, file, ...result }, trace }
  } catch (error) {
    if (!(error instanceof ToolturnError) || HOPELESS.includes(error.code)) throw error
    const { code, message } = error
    const report = { name: scenario?.name ?? null, file, ok: false, differences: [], turn: null, ms: 0, error: { code, message } }
    return { report, trace: null }
  }
}

async function keep(folder: string, number: number, report: FileReport, trace: Outcome['trace']): Promise<void> {
  await mkdir(folder, { recursive: true })
  const name = `${String(number).padStart(3, '0')}-${basename(report.file, extname(report.file))}.json`
  await writeFile(join(folder, name), `${JSON.stringify({ ...report, ...trace }, null, 2)}\n`)
}

function textOf({ ok, name, file, differences, ms, error }: FileReport): string {
  if (error !== undefined) return `BROKEN  ${error.code === 'scenario_invalid' ? '' : `${file}: `}${error.message}`
  const lines = differences.map(({ path, expected, actual }) => `        ${path}: expected ${inWords(expected)}, got ${inWords(actual)}`)
  return [`${ok ? 'ok    ' : 'DIFFERS'}  ${name} (${ms} ms)`, ...(ok ? [] : [`        ${file}`]), ...lines].join('\n')
}

const LONGEST = 400

function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
