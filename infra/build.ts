// Builds what ships: compiles the sources into `dist` (or the folder that is named), and puts beside them what is no code.

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'

const top = join(import.meta.dirname, '..')
const outDir = resolve(process.argv[2] ?? join(top, 'dist'))

function compile(): number {
  const compiler = join(top, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(top, 'infra', 'tsconfig.build.json')
  return spawnSync(process.execPath, [compiler, '-p', project, '--outDir', outDir], { stdio: 'inherit' }).status ?? 1
}

/** Schemas, pages and the like, read at run time from beside the code that uses them. */
function copyRest(): void {
  for (const layer of ['machines', 'store', 'bus', 'adapters']) {
    cpSync(join(top, layer), join(outDir, layer), { recursive: true, filter: path => extname(path) !== '.ts' })
  }
}

/** The suites that anyone may certify with, the scenarios that they run, and the list of what each scenario shows. */
function copySuites(): void {
  const suites = globSync(join(top, 'test', 'contract', 'suites', '*.json'))
  for (const file of new Set([...suites, ...suites.flatMap(witnessesOf), join(top, 'test', 'contract', 'rules.json')])) {
    const target = join(outDir, relative(top, file))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, packed(readFileSync(file, 'utf8')))
  }
}

function witnessesOf(suite: string): readonly string[] {
  const { rows } = JSON.parse(readFileSync(suite, 'utf8')) as { rows: readonly { readonly scenarios: readonly string[] }[] }
  return rows.flatMap(({ scenarios }) => scenarios.map(path => join(dirname(suite), path)))
}

/** JSON without the space between its tokens; nothing else of it is touched. */
function packed(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

/** npm makes a command executable once, when it links it; a later build would leave it as the compiler writes it. */
function openCommand(): void {
  const command = join(outDir, 'adapters', 'cli', 'main.js')
  if (existsSync(command)) chmodSync(command, 0o755)
}

rmSync(outDir, { recursive: true, force: true })
process.exitCode = compile()
if (process.exitCode === 0) {
  copyRest()
  copySuites()
  openCommand()
}
