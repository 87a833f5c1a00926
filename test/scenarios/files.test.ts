// Goal: scripts that run scenario files can rely on the exit code, and on one line for each file: on its order and its shape.

import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runScenarioFiles, type FileReport } from '../../adapters/scenario/files.ts'
import { rulesShown } from '../../adapters/scenario/shown.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolturn-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HERE = { store: 'memory:', bus: 'memory:', inProcess: true }

function scenarioFile(name: string, modelCalls: number): string {
  const file = join(folder, `${name}.json`)
  const scenario = {
    name,
    tools: {},
    turn: { principal: null, input: [{ role: 'user', text: 'Hello.' }] },
    model: { rounds: [{ stop: 'end', content: [{ text: 'Hello.' }] }] },
    expect: { modelCalls },
  }
  writeFileSync(file, JSON.stringify(scenario))
  return file
}

const good = scenarioFile('good', 1)
const bad = scenarioFile('bad', 2)
const broken = join(folder, 'broken.json')
writeFileSync(broken, '{}')

async function run(files: readonly string[], options: object = {}) {
  const reports: FileReport[] = []
  const texts: string[] = []
  const answer = async (value: unknown, text: () => string) => {
    reports.push(value as FileReport)
    texts.push(text())
  }
  const exit = await runScenarioFiles(files, { ...HERE, ...options }, { answer, note: () => {} })
  return { exit, reports, texts }
}

describe('the exit code', () => {
  it.each([
    ['0 where all is as expected', [good, good], 0],
    ['1 where one differs', [good, bad], 1],
    ['2 where one is no scenario', [bad, broken, good], 2],
  ])('is %s', async (_, files, exit) => {
    expect((await run(files)).exit).toBe(exit)
  })

  it('is none where there is nothing to run, or no place to run it in', async () => {
    await expect(run([])).rejects.toMatchObject({ code: 'option_invalid' })
    await expect(run([good], { store: 'sqlite:' })).rejects.toMatchObject({ code: 'option_invalid' })
    await expect(run([good], { store: 'postgres://127.0.0.1:1/none' })).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(run([good], { bus: 'nats://127.0.0.1:1' })).rejects.toMatchObject({ code: 'bus_unreachable' })
  })
})

describe('the rules that a file shows', () => {
  it.each([
    ['b8-polling-goes-on.json', ['B8']],
    ['elsewhere/case-b07-a-paused-round.yaml', ['B07']],
    ['d13.json', []],
    ['b8.json', []],
    [join(import.meta.dirname, 'approval-just-before-its-deadline.json'), ['C5', 'B46', 'approvalLifetimeMs']],
    [join(folder, 'approval-just-before-its-deadline.json'), []],
  ])('of %s are %j', (file, rules) => {
    expect(rulesShown(file)).toEqual(rules)
  })

  it('stand in its row', async () => {
    const named = join(folder, 'c7-revoked.json')
    copyFileSync(good, named)
    expect((await run([named])).texts[0]).toMatch(/^ok +C7 +good/)
  })
})

describe('what is told of a file', () => {
  it('is its name, whether it is as expected, what differs, its turn and its time', async () => {
    const { reports } = await run([bad, good])
    const common = { rules: [], turn: expect.any(String), ms: expect.any(Number) }
    expect(reports).toEqual([
      { name: 'bad', file: bad, ok: false, differences: [{ path: 'modelCalls', expected: 2, actual: 1 }], ...common },
      { name: 'good', file: good, ok: true, differences: [], ...common },
    ])
  })

  it('is why it could not be run, where it could not', async () => {
    const { reports, texts } = await run([broken])
    expect(reports).toMatchObject([{ name: null, file: broken, ok: false, turn: null, error: { code: 'scenario_invalid' } }])
    expect(texts[0]).toContain(broken)
  })

  it('comes in the order of the files, however long each takes', async () => {
    const files = Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? broken : good))
    expect((await run(files)).reports.map(report => report.file)).toEqual(files)
  })

  it('is a text that says what was expected and what came', async () => {
    expect((await run([bad])).texts[0]).toMatch(/^DIFFERS +bad .*\n.*bad\.json\n +modelCalls: expected 2, got 1$/)
  })
})

it('a report keeps all that happened', async () => {
  const report = join(folder, 'report')
  await run([good, bad], { report })
  expect(readdirSync(report).toSorted()).toEqual(['001-good.json', '002-bad.json'])
  const kept = JSON.parse(readFileSync(join(report, '002-bad.json'), 'utf8')) as { events: { type: string }[]; ledger: { kind: string }[] }
  expect(kept.events.map(event => event.type)).toEqual(['turn.opened', 'round.recorded', 'turn.completed'])
  expect(kept.ledger.map(entry => entry.kind)).toContain('request')
})
