// Goal: whoever certifies gets, for each of the six suites, a report that says what was seen, by what and on what, and what was not.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runSuites, type Conformance } from '../../adapters/scenario/conformance.ts'
import { readSuite } from '../../adapters/scenario/suite.ts'
import { readContract, SUITES, TOP } from '../../infra/contract/rules.ts'
import { toolturn } from '../cli/command.ts'

const MEMORY = { store: 'memory:', bus: 'memory:', inProcess: true }
const SCENARIOS = join(TOP, 'test', 'scenarios')

const folder = mkdtempSync(join(tmpdir(), 'toolturn-suites-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function reportOf(suites: readonly string[], report?: string) {
  const answers: unknown[] = []
  const texts: string[] = []
  const answer = async (value: unknown, text: () => string) => {
    answers.push(value)
    texts.push(text())
  }
  const exit = await runSuites(suites, { ...MEMORY, ...(report === undefined ? {} : { report }) }, { answer, note: () => {} })
  return { exit, lines: answers.length, conformance: answers.at(-1) as Conformance, text: texts.at(-1) ?? '' }
}

function suiteFile(name: string, rows: readonly object[]): string {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ suite: name, shows: 'something', rows }))
  return file
}

describe.each(SUITES)('%s', name => {
  it('names rules, scenarios and tests that are there', async () => {
    const { suite, rows } = await readSuite(name)
    const rules = Object.keys(readContract().rules)
    expect(suite).toBe(name)
    expect(rows.flatMap(row => row.rules).filter(rule => !rules.includes(rule))).toEqual([])
    expect(rows.flatMap(row => row.scenarios).filter(path => !existsSync(path))).toEqual([])
    expect(rows.flatMap(row => row.tests ?? []).filter(path => !existsSync(join(TOP, path)))).toEqual([])
  })
})

describe('the report', () => {
  it('says of each row what witnessed it, what did not and why, and on what all of it ran', async () => {
    const { exit, lines, conformance, text } = await reportOf(['v2-provider-tool-suppressed'], folder)
    const [suite] = conformance.suites
    const rows = suite?.rows ?? []
    expect(exit).toBe(0)
    expect(lines).toBe(new Set(rows.flatMap(row => row.witnesses.map(({ file }) => file))).size + 1)
    expect(new Set(rows.map(row => row.verdict))).toEqual(new Set(['witnessed', 'not-witnessed']))
    expect(rows.filter(row => row.verdict === 'not-witnessed' && row.unwitnessed === undefined)).toEqual([])
    expect(conformance).toMatchObject({
      versions: { toolturn: expect.any(String), node: process.version },
      store: { kind: 'memory' },
      bus: { kind: 'memory' },
      kills: 'simulated',
    })
    expect(text).toContain('unseen  request types of MCP are rejected before anything is sent (F4)')
    expect(JSON.parse(readFileSync(join(folder, 'conformance.json'), 'utf8'))).toEqual(conformance)
  })

  it('says which row failed when a witness saw something else', async () => {
    const good = join(SCENARIOS, 'model-without-tools.json')
    const scenario = JSON.parse(readFileSync(good, 'utf8')) as { expect: { code: string } }
    scenario.expect.code = 'model_unavailable'
    writeFileSync(join(folder, 'bad.json'), JSON.stringify(scenario))
    const rows = [{ row: 'one', rules: ['E4'], scenarios: ['bad.json'] }]
    const { exit, conformance } = await reportOf([suiteFile('failing', rows)])
    expect(exit).toBe(1)
    expect(conformance.suites[0]?.rows[0]).toMatchObject({ verdict: 'failed', witnesses: [{ ok: false }] })
  })
})

describe('a suite', () => {
  it.each([
    ['with a row that nothing witnesses and that does not say why', suiteFile('silent', [{ row: 'one', rules: ['A1'], scenarios: [] }])],
    ['without rows', suiteFile('empty', [])],
    ['that is not there', 'v2-of-nothing'],
  ])('%s is none', async (_, file) => {
    await expect(readSuite(file)).rejects.toMatchObject({ code: 'scenario_invalid' })
  })
})

const RUN = ['scenario', 'run', '--store', 'memory:']

describe('the command line', () => {
  it('runs a suite by its name, and prints a line for each file and then the report', async () => {
    const { code, stdout } = await toolturn([...RUN, '--suite', 'v2-provider-tool-suppressed', '--report', '--json'])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object)
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatchObject({ suites: [{ suite: 'v2-provider-tool-suppressed' }] })
    expect(lines.slice(0, -1).every(line => 'ok' in line)).toBe(true)
  })

  it.each([
    ['files beside a suite', ['--suite', 'v2-tool-clarification', join(SCENARIOS, 'ask-is-answered.json')]],
    ['a report that goes nowhere', [join(SCENARIOS, 'ask-is-answered.json'), '--report']],
    ['nothing to run', []],
  ])('turns away %s', async (_, words) => {
    expect(await toolturn([...RUN, ...words])).toMatchObject({ code: 2, stdout: '' })
  })
})
