// Goal: no rule of the contract is without something that would notice its breach, and nothing is named that is not there.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderContract } from '../../infra/contract/render.ts'
import { readContract, readSuites, scenariosOf, statusOf, TOP, type Limit, type Rule } from '../../infra/contract/rules.ts'
import { filesByRule, rulesIn } from '../../infra/contract/sources.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'

const contract = readContract()
const all: readonly (readonly [string, Rule | Limit])[] = Object.entries({ ...contract.rules, ...contract.limits, ...contract.cases })
const code = filesByRule(Object.keys(contract.rules))

const RULES = numbers({ A: 4, B: 9, C: 10, D: 13, E: 5, F: 5, G: 7 })
const CASES =
  '01 03 05 07 09 11 13 15 17 20 22 24 26 28 30 32 34 37 38 40 42 44 46 48 50 52 54 56 58 61 63 65 67 70 72 74 76 78 80 82 85 87 89 91 93 96 98 100 102 104 106 108 110 114 116 118 120'
    .split(' ')
    .map(number => `B${number}`)

function numbers(last: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(last).flatMap(([letter, count]) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`))
}

describe('the list', () => {
  it('has every rule, every limit and every case, once', () => {
    expect(Object.keys(contract.rules)).toEqual(RULES)
    expect(Object.keys(contract.limits).toSorted()).toEqual(Object.keys(DEFAULT_LIMITS).toSorted())
    expect(Object.keys(contract.cases)).toEqual(CASES)
  })

  it.each(all)('%s is held by a scenario or a test, or it is said what it waits for', (_, held) => {
    expect([...scenariosOf(held), ...(held.tests ?? []), ...(held.waits === undefined ? [] : [held.waits])]).not.toEqual([])
  })

  it('leaves nothing waiting, and in part only what needs the HTTP surface', () => {
    const waiting = all.filter(([, held]) => statusOf(held) !== 'held').map(([name]) => name)
    expect(waiting).toEqual(['C8', 'B58'])
  })

  it('shows each limit at its edge and beside it, or names the test that does', () => {
    const half = Object.entries(contract.limits).filter(
      ([, { met, notMet, tests }]) => tests === undefined && (met === undefined || notMet === undefined),
    )
    expect(half).toEqual([])
  })
})

describe('files', () => {
  const scenarios = globSync('test/scenarios/*.json', { cwd: TOP })
    .map(path => basename(path, '.json'))
    .toSorted()

  it('that are named are there', () => {
    const paths = all.flatMap(([, held]) => [...scenariosOf(held).map(name => `test/scenarios/${name}.json`), ...(held.tests ?? [])])
    expect(paths.filter(path => !existsSync(join(TOP, path)))).toEqual([])
  })

  it('of scenarios are each named by a rule', () => {
    const named = new Set(all.flatMap(([, held]) => scenariosOf(held)))
    expect(scenarios.filter(name => !named.has(name))).toEqual([])
  })
})

describe('the code', () => {
  it('names in its comments every rule that it serves', () => {
    const served = Object.entries(contract.rules).filter(([, held]) => statusOf(held) !== 'waits')
    expect(served.map(([rule]) => rule).filter(rule => (code.get(rule) ?? []).length === 0)).toEqual([])
  })

  it('names no rule that there is not', () => {
    const texts = globSync('{machines,store,bus,adapters}/**/*.ts', { cwd: TOP }).map(path => readFileSync(join(TOP, path), 'utf8'))
    const named = new Set(texts.flatMap(text => [...rulesIn(text)]))
    expect([...named].filter(rule => !RULES.includes(rule))).toEqual([])
  })

  it('is read for rules in comments only', () => {
    expect([...rulesIn("// (A1)\nconst B2 = 'B3' // C4\n/** D5, E1 */ `F1`")]).toEqual(['A1', 'C4', 'D5', 'E1'])
  })

  it('outside of admission and its callers does not judge calls: what is shown is shown by whole turns', () => {
    const texts = globSync('{test,adapters}/**/*.ts', { cwd: TOP }).map(path => [path, readFileSync(join(TOP, path), 'utf8')] as const)
    const calling = texts.filter(([, text]) => /\b(admit|runGates)\(/.test(text)).map(([path]) => path)
    expect(calling).toEqual([])
  })
})

describe('the document', () => {
  it('is up to date: `node infra/contract-table.ts` writes it', async () => {
    expect(readFileSync(join(TOP, 'infra', 'docs', 'contract.md'), 'utf8')).toBe(renderContract(contract, code, await readSuites()))
  })
})
