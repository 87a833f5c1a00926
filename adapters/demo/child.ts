// The worker of the demo from outside: started, asked, killed.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isErrorCode, ToolturnError } from '../../machines/errors.ts'
import type { Asked, Begin, FromWorker, Question } from './channel.ts'

export type Child = {
  readonly ask: <Q extends Question>(question: Q, given: Asked[Q]['given']) => Promise<Asked[Q]['answer']>
  /** SIGKILL. Resolves when the process is no more. */
  readonly kill: () => Promise<void>
  /** Lets go of the store, and ends. */
  readonly close: () => Promise<void>
}

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void }

/** Where the code is built, so is the file of the worker. */
const FILE = fileURLToPath(new URL('./worker.ts', import.meta.url)).replace(/\.ts$/, extname(import.meta.url))

/** Starts a worker and waits until it has begun. @param hear is told what the worker says by itself */
export async function startChild(begin: Begin, hear: (said: FromWorker) => void): Promise<Child> {
  const child = fork(FILE, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  const waiting = new Map<number, Waiting>()
  let asked = 0
  child.on('message', (said: FromWorker) => (said.kind === 'answer' || said.kind === 'error' ? settle(waiting, said) : hear(said)))
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new ToolturnError('internal', 'The worker of the demo is gone.'))
    waiting.clear()
  })
  const ask: Child['ask'] = (question, given) =>
    new Promise((resolve, reject) => {
      asked += 1
      waiting.set(asked, { resolve, reject })
      child.send({ id: asked, ask: question, given })
    })
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const close = async () => {
    await ask('close', null)
    child.disconnect()
    await exited
  }
  await ask('begin', begin).catch(async (error: unknown) => {
    await kill()
    throw error
  })
  return { ask, kill, close }
}

function settle(waiting: Map<number, Waiting>, said: Extract<FromWorker, { kind: 'answer' | 'error' }>): void {
  const waits = waiting.get(said.id)
  waiting.delete(said.id)
  if (said.kind === 'answer') waits?.resolve(said.answer as never)
  else waits?.reject(new ToolturnError(isErrorCode(said.code) ? said.code : 'internal', said.message))
}
