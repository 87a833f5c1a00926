// Starts Postgres and NATS from the binaries of this machine, each on a free port of the loopback with a folder of its own.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type StartedServer = { readonly url: string; readonly stop: () => Promise<void> }

/** Debian keeps the binaries of each Postgres version outside the PATH. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql/*/bin'
/** Milliseconds that a server may take from its start until it answers. */
const START_MS = 30_000
/** Milliseconds that a server may take to end when it is asked to. */
const STOP_MS = 10_000

/** A user to run as, when this process is root: Postgres refuses to run as root. */
type RunAs = { readonly uid: number; readonly gid: number } | undefined

/** Null where no `postgres` and `initdb` are installed. @throws when they are and the server does not start */
export async function startPostgres(reachable: (url: string) => Promise<boolean>): Promise<StartedServer | null> {
  const versions = globSync(POSTGRES_FOLDERS).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const initdb = findBinary('initdb', versions)
  const postgres = findBinary('postgres', versions)
  if (initdb === null || postgres === null) return null
  const user = unprivileged()
  const folder = temporaryFolder('postgres', user)
  const data = join(folder, 'data')
  run(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], user)
  const port = await freePort()
  const flags = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  const child = spawn(postgres, flags, { stdio: 'ignore', cwd: folder, ...user })
  return untilReachable({ child, folder, signal: 'SIGINT', url: `postgres://postgres@127.0.0.1:${port}/postgres`, reachable })
}

/** Null where no `nats-server` is installed. @throws when it is and the server does not start */
export async function startNats(reachable: (url: string) => Promise<boolean>): Promise<StartedServer | null> {
  const binary = findBinary('nats-server', ['/usr/sbin'])
  if (binary === null) return null
  const folder = temporaryFolder('nats', undefined)
  const port = await freePort()
  const child = spawn(binary, ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder], { stdio: 'ignore', cwd: folder })
  return untilReachable({ child, folder, signal: 'SIGTERM', url: `nats://127.0.0.1:${port}`, reachable })
}

function findBinary(name: string, folders: readonly string[]): string | null {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '')
  for (const folder of [...folders, ...path]) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      continue
    }
  }
  return null
}

function unprivileged(): RunAs {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(spawnSync('id', ['-u', name], { encoding: 'utf8' }).stdout)
    const gid = Number(spawnSync('id', ['-g', name], { encoding: 'utf8' }).stdout)
    if (uid > 0 && gid > 0) return { uid, gid }
  }
  throw new Error('Postgres does not run as root, and there is neither a user postgres nor a user nobody to run it as.')
}

function temporaryFolder(kind: string, owner: RunAs): string {
  const folder = mkdtempSync(join(tmpdir(), `toolturn-${kind}-`))
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

function run(binary: string, flags: readonly string[], user: RunAs): void {
  const { status, stderr, error } = spawnSync(binary, flags, { encoding: 'utf8', cwd: tmpdir(), ...user })
  if (status !== 0) throw new Error(`${binary} failed: ${error?.message ?? stderr}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

type Starting = {
  readonly child: ChildProcess
  readonly folder: string
  readonly signal: NodeJS.Signals
  readonly url: string
  readonly reachable: (url: string) => Promise<boolean>
}

async function untilReachable(starting: Starting): Promise<StartedServer> {
  const { child, url, reachable } = starting
  const deadline = Date.now() + START_MS
  while (!(await reachable(url))) {
    if (child.exitCode !== null || child.pid === undefined || Date.now() > deadline) {
      await stop(starting)
      throw new Error(`${child.spawnfile} was found and did not start.`)
    }
    await sleep(50)
  }
  return { url, stop: () => stop(starting) }
}

async function stop({ child, folder, signal }: Starting): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill(signal)
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })])
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
