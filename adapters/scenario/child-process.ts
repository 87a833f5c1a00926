// A worker in a process of its own, from outside: started, stopped, killed for real, and followed by a fresh one.

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolturnError } from '../../machines/errors.ts'
import type { Start } from './child.ts'
import type { Ledger } from './ledger.ts'
import { link, type Link, type Served } from './link.ts'

export type Child = {
  readonly ask: Link['ask']
  /** It gets no time on a processor until it goes again. */
  readonly stop: () => void
  readonly go: () => void
  /** Resolves when the process is no more. */
  readonly kill: () => Promise<void>
}

/** Where the code is built, so is the file of the child. */
const FILE = fileURLToPath(new URL('./child.ts', import.meta.url)).replace(/\.ts$/, extname(import.meta.url))

/**
 * Starts a worker process and waits until its worker has begun.
 *
 * @param onDeath called when it ends without having been killed from here
 */
export async function startChild(start: Start, served: Served, ledger: Ledger, onDeath: (error: Error) => void): Promise<Child> {
  const process = fork(FILE, { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const channel = link(frame => process.connected && process.send(frame), served)
  let killed = false
  process.on('message', channel.receive)
  // A frame that a dying process did not take; that it is gone is told by its exit.
  process.on('error', () => channel.cut())
  const gone = once(process, 'exit').then(([code, signal]) => {
    channel.cut()
    if (!killed) onDeath(new ToolturnError('internal', `The worker process ended by itself: ${signal ?? code}.`, { code, signal }))
  })
  listen(process, ledger)
  const kill = () => {
    killed = true
    channel.cut()
    process.kill('SIGKILL')
    return gone
  }
  try {
    await channel.ask('start', start)
  } catch (error) {
    await kill()
    throw error
  }
  return { ask: channel.ask, stop: () => process.kill('SIGSTOP'), go: () => process.kill('SIGCONT'), kill }
}

/** What a process says on its own is a log line like any other. */
function listen(process: ChildProcess, ledger: Ledger): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => ledger.add({ kind: 'log', text }))
  }
}
