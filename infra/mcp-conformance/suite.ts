// The conformance suite of MCP as a child process: what scenarios it has, and what its checks say.

import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

export type Side = 'server' | 'client'
export type Scenario = { readonly name: string; readonly versions: string }
export type Checks = { readonly passed: number; readonly failed: number; readonly warnings: number }

const TOP = join(import.meta.dirname, '..', '..')
const COMMAND = join(TOP, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

export async function suiteVersion(): Promise<string> {
  return (await run(['--version'])).trim()
}

export async function scenarios(side: Side): Promise<readonly Scenario[]> {
  const listed = await run(['list', `--${side}`])
  return [...listed.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)].map(([, name = '', versions = '']) => ({
    name,
    versions: versions.replaceAll(',', ', '),
  }))
}

/** Runs the suite and reads its checks, by scenario. @param args behind `server` or `client` */
export async function checksOf(side: Side, args: readonly string[]): Promise<ReadonlyMap<string, Checks>> {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-conformance-'))
  try {
    await run([side, ...args, '--output-dir', folder])
    return new Map(globSync('**/checks.json', { cwd: folder }).map(file => [scenarioOf(side, file), readChecks(join(folder, file))]))
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
  return { passed: count('SUCCESS'), failed: count('FAILURE'), warnings: count('WARNING') }
}

/** What it prints; it exits with 1 where a check failed, which its results say better. */
function run(args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: TOP, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  child.on('error', reject)
  child.on('close', code => {
    if (code === 0 || code === 1) resolve(printed)
    else reject(new Error(`the conformance suite ended with ${String(code)}`))
  })
  return promise
}
