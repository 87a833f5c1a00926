// The worker's post in a run: held by one process at a time. When it is killed, a fresh one takes it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Start } from './child.ts'
import type { Ledger } from './ledger.ts'
import type { Served } from './link.ts'
import type { Plan } from './plan.ts'
import type { Processes, WorkerProcess } from './processes.ts'
import type { Trouble } from './trouble.ts'
import type { Hands } from './witness.ts'

export type Post = {
  readonly hands: Hands
  /** Asks whoever holds it. @throws GoneError when that one died meanwhile */
  readonly ask: WorkerProcess['ask']
  readonly close: () => Promise<void>
}

export type PostOptions = {
  readonly plan: Plan
  readonly watched: readonly string[]
  readonly ledger: Ledger
  readonly processes: Processes
  /** True: the desk is in the same process. */
  readonly withDesk: boolean
  readonly trouble: Trouble
  /** Ends the leases of the dead; absent where only the fresh process can. */
  readonly retire?: (workers: readonly string[]) => Promise<void>
  readonly served: (hands: Hands) => Served
}

/** How long a worker may take to let go of everything. One that takes longer is not used again. */
const FINISH_MS = 5_000

export async function openPost(options: PostOptions): Promise<Post> {
  const { plan, watched, ledger, processes, withDesk, trouble, retire, served } = options
  const enlisted: string[] = []
  let holder: Promise<WorkerProcess>

  const start = async (dead: readonly string[]): Promise<WorkerProcess> => {
    const process = processes.take()
    process.attend({
      served: { ...served(hands), enlisted: (id: string) => void enlisted.push(id) },
      onText: text => ledger.add({ kind: 'log', text }),
      onDeath: trouble.meet,
    })
    try {
      await process.ask('start', { plan, watched, withDesk, dead } satisfies Start)
      return process
    } catch (error) {
      await process.kill()
      trouble.check()
      throw error
    }
  }
  const follow = async (last: Promise<WorkerProcess>): Promise<WorkerProcess> => {
    await (await last).kill()
    const dead = enlisted.splice(0)
    await retire?.(dead)
    return start(retire === undefined ? dead : [])
  }
  const hands: Hands = {
    stop: () => void holder.then(process => process.stop()),
    go: () => void holder.then(process => process.go()),
    replace: () => {
      holder = follow(holder)
      return trouble.watch(async () => void (await holder))
    },
  }
  holder = start([])
  await holder
  return {
    hands,
    ask: async (what, ...given) => (await holder).ask(what, ...given),
    close: async () => {
      const process = await holder
      const rests = await Promise.race([
        process.ask('finish').then(
          () => true,
          () => false,
        ),
        sleep(FINISH_MS, false, { ref: false }),
      ])
      if (rests) processes.giveBack(process)
      else await process.kill()
    },
  }
}
