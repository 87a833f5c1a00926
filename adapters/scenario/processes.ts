// Processes for workers, from outside: started, stopped and killed for real. One that was not killed serves the next run as well.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { ToolturnError } from '../../machines/errors.ts'
import { GoneError, link, type Link, type Served } from './link.ts'

export type WorkerProcess = {
  /** @throws GoneError when the process ended meanwhile */
  readonly ask: Link['ask']
  /** Who is told what the process asks, writes, and that it ended without having been killed from here. */
  readonly attend: (attendant: Attendant) => void
  /** It gets no time on a processor until it goes again. */
  readonly stop: () => void
  readonly go: () => void
  /** Resolves when the process is no more. */
  readonly kill: () => Promise<void>
}

export type Attendant = {
  readonly served: Served
  readonly onText: (text: string) => void
  readonly onDeath: (error: ToolturnError) => void
}

export type Processes = {
  readonly take: () => WorkerProcess
  /** It is alive and rests. */
  readonly giveBack: (process: WorkerProcess) => void
  readonly close: () => Promise<void>
}

export function processes(): Processes {
  const resting: WorkerProcess[] = []
  return {
    take: () => resting.pop() ?? startProcess(),
    giveBack: process => void resting.push(process),
    close: async () => {
      await Promise.all(resting.splice(0).map(process => process.kill()))
    },
  }
}

/** Where the code is built, so is the file of the child. */
const FILE = fileURLToPath(new URL('./child.ts', import.meta.url)).replace(/\.ts$/, extname(import.meta.url))
/** Such a process lives for seconds: the code of an embedded database is compiled quickly rather than well. */
const SHORT_LIVED = ['--liftoff-only']
/** Of what a process said last, so much is told when it ends by itself. */
const LAST_WORDS = 2_000
/** Every kill makes a fresh process start: what the one before compiled is read and not compiled again. */
const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
const NOBODY: Attendant = { served: {}, onText: () => undefined, onDeath: () => undefined }

function startProcess(): WorkerProcess {
  const process = fork(FILE, { execArgv: SHORT_LIVED, env: { ...COMPILED, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let attendant = NOBODY
  let killed = false
  let words = ''
  const channel = link(
    frame => process.connected && process.send(frame),
    () => attendant.served,
  )
  process.on('message', channel.receive)
  // A frame that a dying process did not take, or no process at all: the channel is cut, and the exit tells the rest.
  process.on('error', channel.cut)
  for (const stream of [process.stdout, process.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-LAST_WORDS)
      attendant.onText(text)
    })
  }
  const gone = once(process, 'close').then(([code, signal]) => {
    const message = `The worker process ended by itself (${signal ?? code}): ${words}`
    if (!killed) attendant.onDeath(new ToolturnError('internal', message, { code, signal }))
    channel.cut()
  })
  return {
    ask: channel.ask,
    attend: next => (attendant = next),
    stop: () => process.kill('SIGSTOP'),
    go: () => process.kill('SIGCONT'),
    kill: () => {
      killed = true
      channel.cut()
      process.kill('SIGKILL')
      return gone
    },
  }
}

/** What stands in place of an answer when the process that was asked is gone. */
export function ifGone<T>(instead: T): (error: unknown) => T {
  return error => {
    if (error instanceof GoneError) return instead
    throw error
  }
}
