// The conformance suite of MCP as a child process: what scenarios it has, and what its checks say.

import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

export type Side = 'server' | 'client'
export type Scenario = { readonly name: string; readonly versions: string }
export type Checks = { readonly passed: number; readonly failed: number }

export const TOP = join(import.meta.dirname, '..', '..')
const COMMAND = join(TOP, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

export async function suiteVersion(): Promise<string> {
  return (await run(['--version'])).printed.trim()
}

export async function scenarios(side: Side): Promise<readonly Scenario[]> {
  const { printed } = await run(['list', `--${side}`])
  return [...printed.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)].map(([, name = '', versions = '']) => ({
    name,
    versions: versions.replaceAll(',', ', '),
  }))
}

/** Runs the suite and reads its checks, by scenario. @param args behind `server` or `client` */
export async function checksOf(side: Side, args: readonly string[]): Promise<ReadonlyMap<string, Checks>> {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-conformance-'))
  try {
    const { failed } = await run([side, ...args, '--output-dir', folder])
    const found = new Map(globSync('**/checks.json', { cwd: folder }).map(file => [scenarioOf(side, file), readChecks(join(folder, file))]))
    // Of one scenario alone the suite also says whether the program under test came to a good end.
    if (failed && found.size === 1) for (const [name, checks] of found) found.set(name, { ...checks, failed: Math.max(checks.failed, 1) })
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A folder of results is called after its side, where that is the server, its scenario and its time. */
function scenarioOf(side: Side, file: string): string {
  const folder = relative('.', dirname(file)).split(sep).join('/')
  return folder.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '').replace(side === 'server' ? /^server-/ : /^/, '')
}

function readChecks(file: string): Checks {
  const checks = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly status: string }[]
  const count = (status: string) => checks.filter(check => check.status === status).length
  return { passed: count('SUCCESS'), failed: count('FAILURE') }
}

/** What it prints, and whether it found something wrong. */
function run(args: readonly string[]): Promise<{ readonly printed: string; readonly failed: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly printed: string; readonly failed: boolean }>()
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: TOP, stdio: ['ignore', 'pipe', 'pipe'] })
  let [printed, complained] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.toString('utf8')
  })
  child.on('error', reject)
  child.on('close', code => {
    if (code === 0 || code === 1) resolve({ printed, failed: code === 1 })
    else reject(new Error(`the conformance suite ended with ${String(code)}: ${complained}`))
  })
  return promise
}
