// Builds what ships: compiles the sources into `dist` (or the folder that is named), and puts beside them what is no code.

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'

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

/** npm makes a command executable once, when it links it; a later build would leave it as the compiler writes it. */
function openCommand(): void {
  const command = join(outDir, 'adapters', 'cli', 'main.js')
  if (existsSync(command)) chmodSync(command, 0o755)
}

rmSync(outDir, { recursive: true, force: true })
process.exitCode = compile()
if (process.exitCode === 0) {
  copyRest()
  openCommand()
}
