// Scenario files as tests: the project's own, and those that lie beside the checkout. One test for each file and place.

import { existsSync, globSync } from 'node:fs'
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

const LONGEST_MS = 20 * 60_000

/** Runs each file once, all of them together. */
export function scenarioSuite(name: string, where: Where): void {
  describe(name, () => {
    const reports = new Map<string, FileReport>()
    const handed = existsSync(HANDED) ? filesIn(HANDED) : null
    beforeAll(async () => {
      const keep = async (report: unknown) => void reports.set((report as FileReport).file, report as FileReport)
      await runScenarioFiles([...OWN_FILES, ...(handed ?? [])], where, { answer: keep, note: () => {} })
    }, LONGEST_MS)

    describe("the project's own scenarios", () => outcomes(OWN_FILES, reports))
    describe('scenarios that lie beside the checkout', () => {
      if (handed === null) it.skip('NOT TESTED: there is no folder of scenarios beside the checkout')
      else outcomes(handed, reports)
    })
  })
}

function outcomes(files: readonly string[], reports: ReadonlyMap<string, FileReport>): void {
  it.each(files.map(file => [basename(file), file]))('%s', (_, file) => {
    const { differences, error } = reports.get(file) ?? { error: 'was not run' }
    expect({ differences, error }).toEqual({ differences: [], error: undefined })
  })
}
