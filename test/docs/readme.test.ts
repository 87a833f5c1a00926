// What the README shows is what is there: its first example is a file that runs, and prints what stands below it.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const top = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(top, file), 'utf8')

/** The fenced blocks of a document, in order. */
function blocks(document: string): readonly { readonly language: string; readonly text: string }[] {
  return [...document.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }))
}

const [example, output] = blocks(read('README.md'))

test('the first example is the file that is kept and checked', () => {
  const [, ...body] = read('examples/first-turn.ts').split('\n\n')
  expect(example).toEqual({ language: 'ts', text: body.join('\n\n') })
})

test('its output is what it really prints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-readme-'))
  try {
    const file = join(folder, 'first-turn.ts')
    const source = example?.text.replace("'toolturn'", JSON.stringify(pathToFileURL(join(top, 'index.ts')).href)) ?? ''
    writeFileSync(file, source)
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout).toBe(output?.text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What npm itself knows, and what stands behind its name in a sentence. */
const NPM: ReadonlySet<string> = new Set(['ci', 'init', 'install', 'pkg', 'run', 'scripts'])

test('the scripts that it names exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = [...read('README.md').matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name = '']) => name)
  expect(named.filter(name => !NPM.has(name) && scripts[name] === undefined)).toEqual([])
})
