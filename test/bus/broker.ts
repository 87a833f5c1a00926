// A NATS broker of a test's own: it can be absent, killed, stopped in its tracks, and started again on the same folder.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as dial, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from './world.ts'

export type OwnBroker = {
  readonly url: string
  /** Resolves when it takes connections. */
  readonly start: () => Promise<void>
  /** SIGKILL: no goodbye, nothing flushed. */
  readonly kill: () => Promise<void>
  /** Stops it without ending its connections, as a machine does that hangs. */
  readonly hang: () => void
  readonly wake: () => void
  readonly remove: () => Promise<void>
}

/** Debian puts it where users do not look. */
const env = { ...process.env, PATH: [process.env['PATH'], '/usr/sbin', '/usr/local/sbin'].join(delimiter) }

/** Whether a broker can be started here at all. */
export const brokerInstalled = spawnSync('nats-server', ['-v'], { env }).status === 0

/** A broker that is not started yet, on a port that was free just now. */
export async function ownBroker(): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-bus-'))
  const port = await freePort()
  let child: ChildProcess | null = null
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = null
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    start: async () => {
      child = spawn('nats-server', ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder], { env, stdio: 'ignore' })
      await until('the broker to take connections', () => answers(port))
    },
    kill,
    hang: () => void child?.kill('SIGSTOP'),
    wake: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = dial(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
