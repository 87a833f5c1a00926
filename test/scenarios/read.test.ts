// Goal: a file that is no scenario is told apart from one that is, with the place and the reason; and both notations are read.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkScenario, readScenario } from '../../adapters/scenario/read.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolturn-read-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MINIMAL = {
  name: 'the least that a scenario says',
  tools: {},
  turn: { principal: null, input: [{ role: 'user', text: 'Hello.' }] },
  model: { rounds: [{ stop: 'end', content: [{ text: 'Hello.' }] }] },
  expect: { state: 'completed' },
}
const OWNER = { id: 'owner', issuer: 'https://id.example.com', kind: 'person' }

function written(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('a scenario', () => {
  it('is read from JSON', async () => {
    expect(await readScenario(written('a.json', JSON.stringify(MINIMAL)))).toEqual(MINIMAL)
  })

  it('is read from YAML', async () => {
    const yaml = [
      'name: the least that a scenario says',
      'tools: {}',
      'turn: { principal: null, input: [{ role: user, text: Hello. }] }',
      'model:',
      '  rounds:',
      '    - stop: end',
      '      content: [{ text: Hello. }]',
      'expect: { state: completed }',
    ]
    expect(await readScenario(written('a.yaml', yaml.join('\n')))).toEqual(MINIMAL)
  })
})

describe('what is no scenario', () => {
  const invalid = (path: string, reason: RegExp) => {
    const details = expect.objectContaining({ path, reason: expect.stringMatching(reason) })
    return { code: 'scenario_invalid', details }
  }
  const behaving = (...behaviour: readonly object[]) => ({ a: { inputSchema: {}, replayPolicy: 'read-only', behaviour } })

  it.each([
    ['a file that is not there', 'missing.json', null, '', /ENOENT/],
    ['JSON that is none', 'broken.json', '{ "name": ', '', /cannot be parsed/],
    ['YAML that is none', 'broken.yml', 'a: [', '', /cannot be parsed/],
  ])('%s', async (_, name, text, path, reason) => {
    const file = text === null ? join(folder, name) : written(name, text)
    await expect(readScenario(file)).rejects.toMatchObject(invalid(path, reason))
  })

  it.each<readonly [string, object, string, RegExp]>([
    ['a key that is missing', { model: undefined }, '', /'model'/],
    ['a key that nobody knows', { extra: 1 }, '', /"extra"/],
    ['a round with neither answer nor failure', { model: { rounds: [{ stop: 'end' }] } }, '/model/rounds/0', /'content'/],
    ['a failure that is none', { model: { rounds: [{ fail: { kind: 'http', status: 200 } }] } }, '/model/rounds/0/fail/status', />= 400/],
    ['a behaviour that ends twice', { tools: behaving({ value: 1, throws: '' }) }, '/tools/a/behaviour/0', /exactly one/],
    ['an edit without arguments', { people: [{ on: 'call.held', call: 'c1', do: 'edit', as: OWNER }] }, '/people/0', /'arguments'/],
    ['an approval of no call', { people: [{ on: 'call.held', do: 'approve', as: OWNER }] }, '/people/0', /'call'/],
    ['an event that nobody knows', { expect: { excludes: ['call.lost'] } }, '/expect/excludes/0', /no event "call\.lost"/],
    ['a person who waits for such an event', { people: [{ on: 'call.lost', do: 'cancel', as: OWNER }] }, '/people/0/on', /no event/],
    ['a fault at such an event', { faults: [{ kill: 'after', event: 'call.lost' }] }, '/faults/0', /no event/],
    ['a limit that nobody knows', { turn: { ...MINIMAL.turn, limits: { wishes: 3 } } }, '/turn/limits/wishes', /no limit/],
    ['a limit out of its range', { turn: { ...MINIMAL.turn, limits: { rounds: 0 } } }, '/turn/limits/rounds', /range/],
  ])('%s', (_, change, path, reason) => {
    const value = JSON.parse(JSON.stringify({ ...MINIMAL, ...change })) as unknown
    expect(() => checkScenario(value, 'a.json')).toThrow(expect.objectContaining(invalid(path, reason)))
  })
})
