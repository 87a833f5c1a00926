// Goal: the arrows of the architecture hold: the law knows nobody, store and bus never each other, and one place wires them all.

import { describe, expect, test } from 'vitest'
import { COMPOSITION, rings, wrongArrows } from './arrows.ts'
import { readPackage } from './reach.ts'
import { parse, readSources } from './source.ts'

const sources = readSources()
const manifest = readPackage()

const WRONG: readonly (readonly [path: string, code: string])[] = [
  ['machines/a.ts', "import { Pool } from 'pg'"],
  ['machines/a.ts', "import { b } from '../store/b.ts'"],
  ['machines/a.ts', "import type { B } from '../adapters/b.ts'"],
  ['machines/a.ts', "type B = import('../store/b.ts').B"],
  ['machines/a.ts', "import { readFileSync } from 'node:fs'"],
  ['machines/a.ts', "import { randomUUID } from 'node:crypto'"],
  ['machines/a.ts', "import * as crypto from 'node:crypto'"],
  ['store/a.ts', "import { b } from '../bus/b.ts'"],
  ['store/a.ts', "import { connect } from '@nats-io/transport-node'"],
  ['bus/a.ts', "export { b } from '../store/b.ts'"],
  ['bus/a.ts', "import { Pool } from 'pg'"],
  ['adapters/a.ts', "const b = await import('../store/b.ts')"],
  ['adapters/a.ts', "import { test } from 'vitest'"],
  ['adapters/a.ts', "import { b } from 'not-declared'"],
  ['index.ts', "export { b } from './test/b.ts'"],
  ['infra/a.ts', "import { b } from '../test/b.ts'"],
]

const RIGHT: readonly (readonly [path: string, code: string])[] = [
  ['machines/gates/a.ts', "import { setup } from 'xstate'\nimport { createHash } from 'node:crypto'\nimport { b } from '../b.ts'"],
  ['store/a.ts', "import { Kysely } from 'kysely'\nimport type { B } from '../machines/b.ts'\nimport 'node:fs'"],
  ['adapters/a.ts', "import { Command } from 'commander'\nimport type { B } from '../machines/b.ts'"],
  ['test/store/a.test.ts', "import { test } from 'vitest'\nimport { b } from '../../bus/b.ts'\nimport { c } from '../../store/c.ts'"],
]

describe('the arrows', () => {
  test.each(WRONG)('%s: %s is seen', (path, code) => {
    expect(wrongArrows(parse(path, code), manifest)).toHaveLength(1)
  })

  test.each(RIGHT)('%s may import what its layer may', (path, code) => {
    expect(wrongArrows(parse(path, code), manifest)).toEqual([])
  })

  test('hold in the whole project', () => {
    expect(sources.flatMap(source => wrongArrows(source, manifest))).toEqual([])
  })

  test('only files that exist are composition roots', () => {
    const paths = sources.map(source => source.path)
    expect([...COMPOSITION.keys()].filter(path => !paths.includes(path))).toEqual([])
  })

  test('point at files that exist', () => {
    const paths = new Set(sources.map(source => source.path))
    const lost = sources.flatMap(source =>
      source.imports.flatMap(({ target }) =>
        target === null || !target.endsWith('.ts') || paths.has(target) ? [] : [`${source.path} imports ${target}, which is not there`],
      ),
    )
    expect(lost).toEqual([])
  })
})

describe('rings', () => {
  test('of running imports are seen, rings of types are not', () => {
    const tree = (last: string) => [
      parse('machines/a.ts', "import { b } from './b.ts'"),
      parse('machines/b.ts', "import { c } from './c.ts'"),
      parse('machines/c.ts', last),
    ]
    expect(rings(tree("import { a } from './a.ts'"))).toEqual([['machines/a.ts', 'machines/b.ts', 'machines/c.ts', 'machines/a.ts']])
    expect(rings(tree("import type { A } from './a.ts'"))).toEqual([])
  })

  test('there are none', () => {
    expect(rings(sources).map(ring => ring.join(' → '))).toEqual([])
  })
})
