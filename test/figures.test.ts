// Goal: the closing line of a run tells its figures, and a run that lacked a server does not pass for a whole one.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const FIGURES = join(import.meta.dirname, '../infra/test-figures.ts')
const folder = mkdtempSync(join(tmpdir(), 'toolturn-figures-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What is said of a run with these tests, by name and status. */
function figuresOf(tests: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>) {
  const count = (status: string) => Object.values(tests).filter(each => each === status).length
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }))
  const report = { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults: [{ assertionResults }] }
  const file = join(folder, 'tests.json')
  writeFileSync(file, JSON.stringify(report))
  const { status, stdout, stderr } = spawnSync(process.execPath, [FIGURES, file], { encoding: 'utf8' })
  return { code: status, says: stdout.trim(), warns: stderr.trim() }
}

test.each([
  ['passes', { a: 'passed', b: 'passed' }, 0, '2 passed, 0 failed'],
  ['with a failure fails', { a: 'passed', b: 'failed' }, 1, '1 passed, 1 failed'],
  ['without a test fails', {}, 1, '0 passed, 0 failed'],
  ['with a test left out for a reason passes', { a: 'passed', b: 'skipped' }, 0, '1 passed, 0 failed, 1 skipped'],
] as const)('a run %s', (_, tests, code, says) => {
  expect(figuresOf(tests)).toEqual({ code, says, warns: '' })
})

test('a run that lacked a server fails, and one that lacked data says so', () => {
  const withoutServer = { a: 'passed', 'the store NOT TESTED: no server: postgres': 'skipped' } as const
  const left = (name: string) => `left out: ${name}`
  expect(figuresOf(withoutServer)).toMatchObject({ code: 1, warns: left('the store NOT TESTED: no server: postgres') })
  const withoutData = { a: 'passed', 'recorded NOT TESTED: no ../shared/data/wire': 'skipped' } as const
  expect(figuresOf(withoutData)).toMatchObject({ code: 0, warns: left('recorded NOT TESTED: no ../shared/data/wire') })
})
