// Goal: nothing is kept that nobody can get to. A file or an exported value without a user is found here.

import { describe, expect, test } from 'vitest'
import { deadExports, deadFiles, publicEntries } from './reach.ts'
import { parse, readSources, readTexts } from './source.ts'

const sources = readSources()
const entries = publicEntries()

describe('files', () => {
  const tree = [
    parse('index.ts', "export { a } from './machines/a.ts'"),
    parse('machines/a.ts', "import type { B } from './b.ts'\nexport const a = (b: B) => b"),
    parse('machines/b.ts', 'export type B = 1'),
    parse('test/a.test.ts', "fork(new URL('./worker.ts', import.meta.url))"),
    parse('test/worker.ts', ''),
    parse('infra/bench.ts', ''),
    parse('infra/forgotten.ts', "import '../machines/a.ts'"),
  ]

  test('are reached by imports, by paths in texts and by scripts; one that is not is found', () => {
    const scripts = [{ path: 'package.json', text: '"bench": "node infra/bench.ts"' }]
    expect(deadFiles(tree, scripts, ['index.ts'])).toEqual([expect.stringMatching(/^infra\/forgotten\.ts:1 /)])
  })

  test('are all reached', () => {
    expect(deadFiles(sources, readTexts(), entries)).toEqual([])
  })
})

describe('exported values', () => {
  test('that no file imports are found; those of entries and whole imports are not', () => {
    const tree = [
      parse('index.ts', "export const open = 1\nimport * as all from './store/all.ts'\nimport { used } from './store/some.ts'"),
      parse('store/all.ts', 'export const inside = 1'),
      parse('store/some.ts', 'export const used = 1\nexport function unused() {}\nexport type T = 1'),
    ]
    expect(deadExports(tree, ['index.ts'])).toEqual([expect.stringMatching(/^store\/some\.ts:2 exports `unused`/)])
  })

  test('are all imported by somebody', () => {
    expect(deadExports(sources, entries)).toEqual([])
  })
})
