// Goal: the code keeps the shape it was given. Each rule first proves on a sample that it can see, then reads the whole project.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bannedNames, BANS } from './bans.ts'
import { publicEntries } from './reach.ts'
import * as rules from './rules.ts'
import { parse, readSources, readTexts, TOP, type Finding, type Source } from './source.ts'
import * as text from './text-rules.ts'

const sources = readSources()
const texts = readTexts()
const entries = publicEntries()

type Rule = {
  readonly name: string
  readonly find: (source: Source) => readonly Finding[]
  /** A file that breaks the rule, and one close to it that does not. */
  readonly broken: readonly [path: string, code: string]
  readonly sound: readonly [path: string, code: string]
}

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `  step(${index})\n`).join('')

const RULES: readonly Rule[] = [
  {
    name: 'a function is at most 70 lines',
    find: rules.longFunctions,
    broken: ['store/a.ts', `export function a() {\n${lines(69)}}`],
    sound: ['store/a.ts', `export function a() {\n${lines(68)}}`],
  },
  {
    name: 'a list of tests is not a long function, a long test is',
    find: rules.longFunctions,
    broken: ['test/a.test.ts', `describe('a', () => {\n test('b', () => {\n${lines(70)}})})`],
    sound: ['test/a.test.ts', `describe('a', () => {\n${"  test('b', () => {})\n".repeat(80)}})`],
  },
  {
    name: 'no `any` in machines, store and bus',
    find: rules.looseTypes,
    broken: ['store/a.ts', 'export const a = (b: any) => b'],
    sound: ['store/a.ts', 'export const a = (any: unknown) => any'],
  },
  {
    name: 'the only classes are errors',
    find: rules.classes,
    broken: ['adapters/a.ts', 'export class A {}'],
    sound: ['adapters/a.ts', 'export class A extends Error {}'],
  },
  {
    name: 'no default exports but in config files',
    find: rules.defaultExports,
    broken: ['adapters/a.ts', 'export default {}'],
    sound: ['vitest.config.ts', 'export default {}'],
  },
  {
    name: 'no enums',
    find: rules.erasedSyntax,
    broken: ['machines/a.ts', 'enum A { b }'],
    sound: ['machines/a.ts', "type A = 'b'"],
  },
  {
    name: 'no namespaces',
    find: rules.erasedSyntax,
    broken: ['machines/a.ts', 'namespace A { export const b = 1 }'],
    sound: ['machines/a.ts', "declare module 'a' {}"],
  },
  {
    name: 'no parameter properties',
    find: rules.erasedSyntax,
    broken: ['machines/a.ts', 'class A extends Error { constructor(readonly b: string) { super(b) } }'],
    sound: ['machines/a.ts', 'class A extends Error { constructor(b: string) { super(b) } }'],
  },
  {
    name: 'no barrel files but the public entries',
    find: source => rules.barrels(source, entries),
    broken: ['bus/a.ts', "export * from './b.ts'\nexport { c } from './d.ts'"],
    sound: ['index.ts', "export * from './b.ts'"],
  },
  {
    name: 'no error is caught and dropped',
    find: rules.swallowedErrors,
    broken: ['bus/a.ts', 'try { a() } catch {}'],
    sound: ['bus/a.ts', 'try { a() } catch { /* gone already */ }'],
  },
  {
    name: 'no rejection is caught and dropped',
    find: rules.swallowedErrors,
    broken: ['bus/a.ts', 'void a().catch(() => {})'],
    sound: ['bus/a.ts', 'void a().catch(() => { /* told by the caller */ })'],
  },
  {
    name: 'no focused test',
    find: rules.switchedOffTests,
    broken: ['test/a.test.ts', "test.only('a', () => {})"],
    sound: ['test/a.test.ts', "rows.only('a')"],
  },
  {
    name: 'a test that may not run says why',
    find: rules.switchedOffTests,
    broken: ['test/a.test.ts', "\n\ndescribe.skipIf(absent)('a', () => {})"],
    sound: ['test/a.test.ts', "\n// Reason: needs a browser.\ndescribe.skipIf(absent)('a', () => {})"],
  },
  {
    name: 'no semicolons at the end of a line',
    find: rules.semicolons,
    broken: ['bus/a.ts', 'a();\n'],
    sound: ['bus/a.ts', 'const sql = `\nselect 1;\n`\nwhile (step());\n'],
  },
  {
    name: 'a file says its one idea first',
    find: rules.headComment,
    broken: ['bus/a.ts', 'export const a = 1'],
    sound: ['bus/a.ts', '#!/usr/bin/env node\n// One.\nexport const a = 1'],
  },
  {
    name: 'no left-over reminders in comments',
    find: text.leftMarks,
    broken: ['bus/a.ts', '// TO' + 'DO: mend'],
    sound: ['bus/a.ts', '// what is to do: nothing'],
  },
  {
    name: 'checks are silenced only with a reason',
    find: text.silencedChecks,
    broken: ['bus/a.ts', '// @ts-expect-error\na()'],
    sound: ['bus/a.ts', '// @ts-expect-error -- the point of the test: b is no number\na()'],
  },
  {
    name: 'a line is at most 140 columns',
    find: rules.longLines,
    broken: ['bus/a.ts', `const a = ${'b + '.repeat(40)} 1`],
    sound: ['bus/a.ts', `const a = ok ? '${'words '.repeat(40)}' : ''`],
  },
  {
    name: 'a file is at most 250 lines',
    find: text.longFiles,
    broken: ['bus/a.ts', '\n'.repeat(251)],
    sound: ['bus/a.ts', '\n'.repeat(250)],
  },
  {
    name: 'a file is named after what it is',
    find: text.emptyNames,
    broken: ['bus/utils.ts', ''],
    sound: ['bus/publisher.ts', ''],
  },
  {
    name: "no path of one developer's machine",
    find: text.machinePaths,
    broken: ['bus/a.ts', "const a = '/ho" + "me/ana/a'"],
    sound: ['bus/a.ts', "const a = '/turns/home/a'"],
  },
]

describe.each(RULES)('$name', ({ find, broken, sound }) => {
  test('is seen where it is broken, and only there', () => {
    expect(find(parse(...broken))).toHaveLength(1)
    expect(find(parse(...sound))).toEqual([])
  })

  test('holds in the whole project', () => {
    expect(sources.flatMap(source => find(source))).toEqual([])
  })
})

describe('what the core may not reach for', () => {
  test.each(BANS)('$name is seen in its folders and nowhere else', ({ name, where }) => {
    const use = `const a = [${name}]`
    const folder = where.at(-1)
    expect(bannedNames(parse(`${folder}a.ts`, use)).length, `${folder}a.ts: ${use}`).toBeGreaterThan(0)
    if (!where.includes('')) expect(bannedNames(parse('test/a.ts', use))).toEqual([])
  })

  test('a key, a member and a type of that name are not the thing', () => {
    const code = 'const a = { process: 1, fetch: b.fetch }; type T = { console: string }; const d = new Date(5), e = Date.parse(f)'
    expect(bannedNames(parse('machines/a.ts', code))).toEqual([])
  })

  test('is not reached for', () => {
    expect(sources.flatMap(bannedNames)).toEqual([])
  })
})

describe('texts that are no code', () => {
  const others = texts.filter(file => !file.path.endsWith('.ts'))

  test('hold no left-over reminders', () => {
    expect(others.flatMap(text.leftMarksInText)).toEqual([])
  })

  test("hold no path of one developer's machine, and names that say something", () => {
    expect(others.flatMap(file => [...text.machinePaths(file), ...text.emptyNames(file)])).toEqual([])
  })

  test('a document that points at a file that is not there is seen', () => {
    const document = { path: 'infra/docs/a.md', text: 'See [b](b.md#part), [c](../c.md), [d](https://example.com/d) and `store/e.ts`.' }
    expect(text.lostFiles(document, path => path === 'infra/docs/b.md')).toHaveLength(2)
    expect(text.lostFiles(document, () => true)).toEqual([])
  })

  test('point at files that are there', () => {
    expect(others.flatMap(file => text.lostFiles(file, path => existsSync(join(TOP, path))))).toEqual([])
  })
})

test('no exception outlives its reason', () => {
  expect(text.idleExceptions(texts)).toEqual([])
})
