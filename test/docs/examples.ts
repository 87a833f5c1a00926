// Examples as the README shows them: the block that stands in a section, and what the file prints when it is run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const TOP = join(import.meta.dirname, '..', '..')

/** What examples import: the entries of the package as their sources, others as they are installed here. */
const ENTRIES: readonly (readonly [string, string])[] = [
  ["'toolturn/anthropic'", 'adapters/models/anthropic.ts'],
  ["'toolturn/openai'", 'adapters/models/openai.ts'],
  ["'toolturn/ai-sdk'", 'adapters/models/ai-sdk.ts'],
  ["'toolturn/embedded'", 'store/embedded.ts'],
  ["'toolturn/mcp'", 'adapters/mcp/index.ts'],
  ["'toolturn'", 'index.ts'],
  ["'@ai-sdk/openai'", 'node_modules/@ai-sdk/openai/dist/index.js'],
  ["'ai'", 'node_modules/ai/dist/index.js'],
  ["'zod'", 'node_modules/zod/index.js'],
]

/** An example without what it says of itself. */
export function exampleBody(name: string): string {
  const [, ...body] = readFileSync(join(TOP, 'examples', name), 'utf8').split('\n\n')
  return body.join('\n\n')
}

/** The fenced blocks of one language in a section of the README, in order. */
export function sectionBlocks(heading: string, language: string): readonly string[] {
  const [, rest = ''] = readFileSync(join(TOP, 'README.md'), 'utf8').split(`\n### ${heading}\n`)
  const section = rest.split(/^#{2,3} /m)[0] ?? ''
  return [...section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, of, block = '']) => (of === language ? [block] : []))
}

/** Puts an example into a folder, so that it runs on the sources. @returns its path */
export function writeExample(name: string, folder: string): string {
  const source = ENTRIES.reduce(
    (body, [entry, file]) => body.replace(entry, JSON.stringify(pathToFileURL(join(TOP, file)).href)),
    exampleBody(name),
  )
  writeFileSync(join(folder, name), source)
  return join(folder, name)
}

/** Runs an example from an empty folder. */
export async function runExample(name: string, env: Readonly<Record<string, string>>): Promise<{ stdout: string; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-example-'))
  try {
    const child = spawn(process.execPath, [writeExample(name, folder)], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { stdout, stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
