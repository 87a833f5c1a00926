// Scenario files as tests: the project's own, and those that lie beside the checkout. One test for each file and place.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runScenarioFiles, type FileReport } from '../../adapters/scenario/files.ts'
import type { Where } from '../../adapters/scenario/places.ts'

const OWN_FILES = filesIn(import.meta.dirname)

/** Files that were written elsewhere; `TOOLTURN_SCENARIOS` names the folder. */
const HANDED = process.env['TOOLTURN_SCENARIOS'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'scenarios')

function filesIn(folder: string): readonly string[] {
  return globSync(join(folder, '*.{json,yaml,yml}')).toSorted()
}

/** Those in which something breaks: of the handed ones all, of the project's own one row of each kind. */
export function whereSomethingBreaks(files: readonly string[]): readonly string[] {
  const broken = files.filter(file => /"?faults"?:/.test(readFileSync(file, 'utf8')))
  return broken.filter(file => !OWN_FILES.includes(file) || /^(recovery-idempotent|approval-when|ask-survives)/.test(basename(file)))
}

/** Runs each file once. @param choose which of the files run there; default all */
export function scenarioSuite(name: string, where: Where, choose = (files: readonly string[]) => files): void {
  describe(name, () => {
    describe("the project's own scenarios", () => outcomes(choose(OWN_FILES), where))
    describe('scenarios that lie beside the checkout', () => {
      if (existsSync(HANDED)) outcomes(choose(filesIn(HANDED)), where)
      else it.skip('NOT TESTED: there is no folder of scenarios beside the checkout')
    })
  })
}

const LONGEST_MS = 20 * 60_000

function outcomes(files: readonly string[], where: Where): void {
  const reports = new Map<string, FileReport>()
  beforeAll(async () => {
    const keep = async (report: unknown) => void reports.set((report as FileReport).file, report as FileReport)
    await runScenarioFiles(files, where, { answer: keep, note: () => {} })
  }, LONGEST_MS)

  it.each(files.map(file => [basename(file), file]))('%s', (_, file) => {
    const { differences, error } = reports.get(file) ?? { error: 'was not run' }
    expect({ differences, error }).toEqual({ differences: [], error: undefined })
  })
}
