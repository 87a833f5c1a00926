// Goal: what is installed from the registry works: it is built, holds what it should and nothing else, and its types can be used.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUITES } from '../../infra/contract/rules.ts'
import { builtEntries, readPackage } from './reach.ts'
import { TOP } from './source.ts'

const manifest = readPackage()
const entries = builtEntries(manifest)

/** A temporary folder with the package as it is built, and a project that installed it. */
let folder: string
let installed: string
let shipped: readonly string[]

const PROGRAM = `
import { createRuntime, tool } from 'toolturn'

const orders = new Map([['42', { state: 'broken' }]])

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'read-only',
  run: async ({ id }, call) => {
    const name: string = id
    // @ts-expect-error -- what the schema does not name is not there
    id.missing
    return { structuredContent: orders.get(name) ?? null, content: [{ type: 'text', text: call.invocationId }] }
  },
})

const runtime = await createRuntime({ tools: [findOrder] })
await runtime.close()
`

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolturn-package-')))
  const built = join(folder, 'toolturn')
  execFileSync(process.execPath, [join(TOP, 'infra', 'build.ts'), join(built, 'dist')], { stdio: 'inherit' })
  for (const name of ['package.json', 'README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE']) cpSync(join(TOP, name), join(built, name))
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: built, encoding: 'utf8' })
  shipped = filesOf(JSON.parse(packed)).toSorted()
  installed = install(built, shipped)
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** npm prints a list of packages, or since npm 12 an object of them by name. */
function filesOf(packed: unknown): string[] {
  const [report] = Object.values(packed as Record<string, { readonly files: readonly { readonly path: string }[] }>)
  if (report === undefined) throw new Error('npm pack names no package')
  return report.files.map(file => file.path)
}

/** A project with the shipped files, and of other packages only what the package declares, as npm would lay them. */
function install(built: string, files: readonly string[]): string {
  const project = join(folder, 'project')
  const place = join(project, 'node_modules', 'toolturn')
  for (const file of files) cpSync(join(built, file), join(place, file))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, '@types/node': '' })) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(TOP, 'node_modules', name), link)
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'program.ts'), PROGRAM)
  return project
}

describe('the files', () => {
  test('are code, declarations, what the code reads, and the documents of a package', () => {
    const documents = ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']
    const code = /^dist\/(index|(machines|store|bus|adapters)\/.+)(\.js|\.d\.ts|\.json|\.html|\.css|\.svg|\.eml)$/
    const suites = /^dist\/test\/(contract\/(rules|suites\/[^/]+)|scenarios\/[^/]+)\.json$/
    expect(shipped.filter(path => !code.test(path) && !suites.test(path))).toEqual(documents)
  })

  test('hold every public entry with its types', () => {
    const missing = [...entries.values()]
      .flatMap(path => [path, path.replace(/\.js$/, '.d.ts')])
      .filter(path => !shipped.includes(path.replace('./', '')))
    expect([...entries.keys()]).toContain('.')
    expect(missing).toEqual([])
  })

  test('hold the command, ready to be run', () => {
    for (const path of Object.values(manifest.bin ?? {})) {
      const file = join(folder, 'toolturn', path)
      expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
      expect(statSync(file).mode & 0o111).toBe(0o111)
    }
  })

  test('weigh little: under two megabytes', () => {
    const bytes = shipped.reduce((sum, path) => sum + statSync(join(folder, 'toolturn', path)).size, 0)
    expect(bytes).toBeLessThan(2_000_000)
  })
})

describe('a project that installed it', () => {
  test('can load every public entry with only the declared dependencies', () => {
    const program = [...entries.keys()].map(entry => `await import('toolturn${entry.slice(1)}')`).join('\n')
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: installed, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('can run the command', () => {
    const command = join(installed, 'node_modules', 'toolturn', Object.values(manifest.bin ?? {})[0] as string)
    const { status, stdout } = spawnSync(process.execPath, [command, '--help'], { cwd: installed, encoding: 'utf8' })
    expect(stdout).toContain('toolturn')
    expect(status).toBe(0)
  })

  test('can certify: the suites are there, and every scenario that they name', () => {
    const command = join(installed, 'node_modules', 'toolturn', Object.values(manifest.bin ?? {})[0] as string)
    const named = SUITES.flatMap(suite => ['--suite', suite])
    const run = [command, 'scenario', 'run', '--store', 'memory:', ...named, '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, run, { cwd: installed, encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 0 })
    const [first, ...lines] = stdout.trimEnd().split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({ ok: true, rules: expect.arrayContaining([expect.any(String)]) })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ suites: SUITES.map(suite => ({ suite })), kills: 'simulated' })
  }, 240_000)

  test('type-checks its own program against the declarations, and the declarations themselves', () => {
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false']
    const compiler = join(TOP, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, ...options, 'program.ts'], { cwd: installed, encoding: 'utf8' })
    expect(stdout).toBe('')
  }, 240_000)
})
