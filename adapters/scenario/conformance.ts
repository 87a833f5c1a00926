// Running suites: each scenario once, then a report of what was seen, by what, on what, and what could not be seen and why.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runScenarioFiles, type FileReport, type ScenarioFilesOptions, type ScenarioFilesOutput } from './files.ts'
import { checkWhere, type Where } from './places.ts'
import { busServer, storeServer, type Server } from './servers.ts'
import { packageVersion, readSuite, type Row, type Suite } from './suite.ts'

/** `failed`: a witness saw something else. `not-witnessed`: none can see it; the row says why. */
export type Verdict = 'witnessed' | 'failed' | 'not-witnessed'

type JudgedRow = Omit<Row, 'scenarios'> & {
  readonly verdict: Verdict
  readonly witnesses: readonly Pick<FileReport, 'file' | 'name' | 'ok'>[]
}

export type Conformance = {
  readonly suites: readonly { readonly suite: string; readonly shows: string; readonly rows: readonly JudgedRow[] }[]
  readonly versions: { readonly toolturn: string; readonly node: string }
  /** The kind and the version of each server, and whether worker processes were really killed. */
  readonly store: Server
  readonly bus: Server
  readonly kills: 'real' | 'simulated'
}

/**
 * Runs the scenarios of suites, tells of each file, and of all in the end.
 *
 * @param named files of suites, or names of those that come with the package
 * @returns the exit code of the runs
 * @throws ToolturnError `scenario_invalid`, and what `runScenarioFiles` throws
 */
export async function runSuites(named: readonly string[], options: ScenarioFilesOptions, output: ScenarioFilesOutput): Promise<0 | 1 | 2> {
  checkWhere(options)
  const suites = await Promise.all(named.map(readSuite))
  const files = [...new Set(suites.flatMap(({ rows }) => rows.flatMap(({ scenarios }) => scenarios)))]
  const reports = new Map<string, FileReport>()
  const exit = await runScenarioFiles(files, options, {
    ...output,
    answer: async (report, text) => {
      reports.set((report as FileReport).file, report as FileReport)
      await output.answer(report, text)
    },
  })
  const conformance: Conformance = { suites: suites.map(suite => judged(suite, reports)), ...(await surroundings(options)) }
  await output.answer(conformance, () => textOf(conformance))
  if (options.report !== undefined) await keep(options.report, conformance)
  return exit
}

function judged({ suite, shows, rows }: Suite, reports: ReadonlyMap<string, FileReport>): Conformance['suites'][number] {
  return {
    suite,
    shows,
    rows: rows.map(({ scenarios, ...row }) => {
      const witnesses = scenarios.map(file => {
        const { name = null, ok = false } = reports.get(file) ?? {}
        return { file, name, ok }
      })
      return { ...row, verdict: verdictOf(witnesses), witnesses }
    }),
  }
}

function verdictOf(witnesses: readonly { readonly ok: boolean }[]): Verdict {
  if (witnesses.length === 0) return 'not-witnessed'
  return witnesses.every(({ ok }) => ok) ? 'witnessed' : 'failed'
}

async function surroundings({ store, bus, inProcess }: Where): Promise<Omit<Conformance, 'suites'>> {
  return {
    versions: { toolturn: packageVersion(), node: process.version },
    store: await storeServer(store),
    bus: await busServer(bus),
    kills: inProcess || store === 'memory:' ? 'simulated' : 'real',
  }
}

async function keep(folder: string, conformance: Conformance): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'conformance.json'), `${JSON.stringify(conformance, null, 2)}\n`)
}

const WORDS: { readonly [verdict in Verdict]: string } = { witnessed: 'seen  ', failed: 'FAILED', 'not-witnessed': 'unseen' }

function textOf({ suites, versions, store, bus, kills }: Conformance): string {
  const servers = `store ${store.kind} (${store.server}), bus ${bus.kind} (${bus.server}), kills ${kills}`
  return [
    '',
    `toolturn ${versions.toolturn}, Node ${versions.node}, ${servers}`,
    ...suites.flatMap(({ suite, shows, rows }) => ['', `${suite}: ${shows}`, ...rows.flatMap(rowText)]),
  ].join('\n')
}

function rowText({ verdict, row, rules, witnesses, tests = [], unwitnessed }: JudgedRow): readonly string[] {
  return [
    `  ${WORDS[verdict]}  ${row} (${rules.join(', ')})`,
    ...witnesses.map(({ file, ok }) => `            ${ok ? '' : 'DIFFERS '}${file}`),
    ...tests.map(test => `            ${test}`),
    ...(unwitnessed === undefined ? [] : [`            ${unwitnessed}`]),
  ]
}
