// What the document on linting shows is what is printed, and everything that can be found is explained in it as it is.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { CATALOG_WORDS } from '../../adapters/lint/catalog/words.ts'
import { TRANSCRIPT_WORDS } from '../../adapters/lint/transcript/words.ts'

const top = join(import.meta.dirname, '..', '..')
const document = readFileSync(join(top, 'infra', 'docs', 'lint.md'), 'utf8')
const [history = '', historyOutput, tools = '', toolsOutput] = [...document.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, text]) => text)

const folder = mkdtempSync(join(tmpdir(), 'toolturn-lint-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function printed(command: string): string {
  const words = [join(top, 'adapters', 'cli', 'main.ts'), ...command.split(' ').slice(1)]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
  return `$ ${command}\n${stdout}${stderr}`
}

test('the findings of the history are what is really printed', () => {
  writeFileSync(join(folder, 'history.jsonl'), history)
  expect(printed('toolturn lint transcript history.jsonl')).toBe(historyOutput)
})

test('the findings of the tools are, too', () => {
  writeFileSync(join(folder, 'tools.ts'), tools.replace("'toolturn'", JSON.stringify(pathToFileURL(join(top, 'index.ts')).href)))
  expect(printed('toolturn lint tools tools.ts')).toBe(toolsOutput)
})

test('every word is explained, with its rule and how grave it is', () => {
  const rows = [...document.matchAll(/^\| `([a-z-]+)` \| (\w+) \| (\w+) \|/gm)]
  const words = Object.entries({ ...TRANSCRIPT_WORDS, ...CATALOG_WORDS })
  expect(rows.map(([, ...row]) => row)).toEqual(words.map(([word, { rule, severity }]) => [word, rule, severity]))
})
