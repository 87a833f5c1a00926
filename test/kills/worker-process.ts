// A worker process from outside: begun, asked, killed, stopped and let go on, all for real.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { link } from '../../adapters/scenario/link.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { Order, Verb } from './serve.ts'
import type { At } from './stops.ts'

/** An answer as it comes through a channel of JSON: what cannot be written down is not there. */
type Sent<V extends Verb> = V extends 'spawn' ? { readonly id: string; readonly existing: boolean } : Awaited<ReturnType<Runtime[V]>>

export type WorkerProcess = {
  readonly pid: number
  /** Asks the runtime there. @throws when the process is gone */
  readonly ask: <V extends Verb>(verb: V, ...given: Parameters<Runtime[V]>) => Promise<Sent<V>>
  /** Ids under which it took leases, in order. */
  readonly enlisted: () => readonly string[]
  /** SIGKILL. Resolves when the process is no more. */
  readonly kill: () => Promise<void>
  /** SIGSTOP: it gets no time on a processor until it goes on. */
  readonly stop: () => void
  /** SIGCONT. */
  readonly goOn: () => void
  /** Drains, lets go, and ends. */
  readonly close: () => Promise<void>
}

const CHILD = new URL('./child.ts', import.meta.url)

/** Nobody stops it anywhere. */
export const NOWHERE: At = async () => undefined

/**
 * Starts a worker and waits until it works.
 *
 * @param leaving kills it in the end, where it lives by then
 * @param entry what the process runs
 */
export async function startWorker(order: Order, leaving: AsyncDisposableStack, at: At, entry: URL = CHILD): Promise<WorkerProcess> {
  const child = fork(entry, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const enlisted: string[] = []
  const served = { at, enlisted: (worker: string) => void enlisted.push(worker) }
  const channel = link(
    frame => child.connected && child.send(frame),
    () => served,
  )
  child.on('message', channel.receive)
  child.on('error', channel.cut)
  const gone = once(child, 'exit').then(channel.cut)
  const kill = () => {
    channel.cut()
    child.kill('SIGKILL')
    return gone
  }
  leaving.defer(kill)
  await channel.ask('begin', order)
  const ask: WorkerProcess['ask'] = async (verb, ...given) => (await channel.ask('runtime', verb, ...given)) as never
  return {
    pid: child.pid ?? 0,
    ask,
    enlisted: () => enlisted,
    kill,
    stop: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    close: async () => {
      await ask('close')
      child.disconnect()
      await gone
    },
  }
}
