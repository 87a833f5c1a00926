// The reference servers of the protocol, as programs of their own, and a mark of which process has a call in hand.

import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'

const require = createRequire(import.meta.url)

/** The program of a reference server. */
export function programOf(name: 'everything' | 'filesystem'): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`)
  return join(dirname(manifest), 'dist', 'index.js')
}

/** A call of the long operation that lasts so many seconds writes the mark: the process has it in hand, and will not answer soon. */
export const LONG_SECONDS = 61
const MARKER = `
import { writeFileSync } from 'node:fs'
const start = globalThis.setTimeout
globalThis.setTimeout = (work, ms, ...given) => {
  if (ms === ${LONG_SECONDS * 1_000}) writeFileSync(process.env.MARK_FILE, String(process.pid))
  return start(work, ms, ...given)
}`
export const MARKING = ['--import', `data:text/javascript,${encodeURIComponent(MARKER)}`]

export type Desk = {
  readonly folder: string
  readonly env: { readonly MARK_FILE: string }
  /** The process that has the long call in hand. Waits for it. */
  readonly busy: () => Promise<number>
  readonly clear: () => void
}

export function openDesk(): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-mcp-'))
  const file = join(folder, 'mark')
  return {
    folder,
    env: { MARK_FILE: file },
    busy: () => vi.waitUntil(() => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0), { timeout: 60_000, interval: 20 }),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** True while the process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}

/** Starts the reference server over streamable HTTP; resolves when it listens. */
export async function startWeb(port: number, env: Desk['env']): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...MARKING, programOf('everything'), 'streamableHttp'], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the server ended with ${code}`)))
    child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve()
    })
  })
  return child
}
