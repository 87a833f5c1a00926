// One worker after another: each drives all turns, comes to the next stop of every plan, and is killed there with all of them.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../machines/json.ts'
import type { ApprovalRow, TurnRow } from '../../machines/ports/rows.ts'
import type { PrincipalInput, SpawnOptions } from '../../machines/runtime/api.ts'
import { until } from '../bus/world.ts'
import type { Script } from './cast.ts'
import type { Room } from './room.ts'
import type { Order } from './serve.ts'
import { stopsOf, type Place, type Stops } from './stops.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

export const ANA: PrincipalInput = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' }

/** A turn, and where its workers die, one after the other. */
export type Plan = {
  readonly name: string
  readonly script: Script['rounds']
  readonly stops: readonly Place[]
}

/** One call of a tool, and its answer. */
export function callOnce(name: string, args: JsonObject = {}): Script['rounds'] {
  return [
    { stop: 'tool_calls', content: [{ call: { id: 'c1', name, arguments: args } }] },
    { stop: 'end', content: [{ text: 'Done.' }] },
  ]
}

export const spawnOf = ({ name, script }: Pick<Plan, 'name' | 'script'>): SpawnOptions => ({
  input: JSON.stringify({ plan: name, rounds: script } satisfies Script),
  principal: ANA,
  labels: { plan: name },
  // A worker that is held up between intent and start is not to be late for that.
  limits: { startWithinMs: 3_600_000 },
})

export type Lived = {
  /** The last worker, alive. */
  readonly worker: WorkerProcess
  /** Workers that were killed. */
  readonly killed: number
  /** Plans whose turns were parked, and went on when an operator said so. */
  readonly parked: readonly string[]
}

/** Plays the plans in a place of their own: every worker is killed when each turn has come to its next stop or to its end. */
export async function playPlans(room: Room, plans: readonly Plan[], leaving: AsyncDisposableStack): Promise<Lived> {
  const stops = stopsOf(new Map(plans.map(({ name, stops: places }) => [name, places])))
  const start = (dead: readonly string[]) => startWorker({ ...orderAt(room), dead }, leaving, stops.at)
  let worker = await start([])
  let killed = 0
  await Promise.all(plans.map(plan => worker.ask('spawn', spawnOf(plan))))
  for (await untilAllStand(worker, stops); stops.held() > 0; await untilAllStand(worker, stops)) {
    await worker.kill()
    killed += 1
    stops.moveOn()
    worker = await start(worker.enlisted())
  }
  const parked = (await turnsOf(worker)).filter(turn => turn.parked)
  for (const { turnId } of parked) await worker.ask('recover', turnId)
  return { worker, killed, parked: parked.map(planOfRow) }
}

/** Between two looks at the turns, so that looking is not what a busy machine does most. */
const LOOK_MS = 50
/** A busy machine needs long for a worker process; nothing depends on how long. */
const LONG_MS = 60_000

/** What a worker is told that is watched and follows nobody. */
export function orderAt(room: Room): Order {
  return { ...room, dead: [], watched: true }
}

export function planOfRow({ labels }: TurnRow): string {
  return labels['plan'] ?? ''
}

export async function turnsOf(worker: WorkerProcess): Promise<readonly TurnRow[]> {
  return (await worker.ask('list', { limit: 1000 })).turns
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'refused', 'exhausted', 'cancelled', 'failed'])

export function hasEnded({ state }: TurnRow): boolean {
  return ENDED.has(state)
}

/** Until nothing happens any more: whoever has a stop ahead has come to it, all others ended, or are parked for an operator. */
export async function untilAllStand(worker: WorkerProcess, stops: Stops): Promise<void> {
  let moving: readonly string[] = []
  const stands = (turn: TurnRow) => {
    const stop = stops.of(planOfRow(turn))
    return stop === 'held' || (stop === 'none' && (turn.parked || hasEnded(turn)))
  }
  const allStand = async () => {
    await sleep(LOOK_MS)
    await approveAll(worker)
    moving = (await turnsOf(worker)).filter(turn => !stands(turn)).map(planOfRow)
    return moving.length === 0
  }
  await until('every turn at its next stop or at its end', allStand, LONG_MS).catch((error: unknown) => {
    throw new Error(`still under way: ${moving.join('; ')}`, { cause: error })
  })
}

/** Whoever is asked agrees. */
async function approveAll(worker: WorkerProcess): Promise<void> {
  const { approvals } = await worker.ask('approvals')
  await Promise.all(approvals.map(({ approvalId }: ApprovalRow) => worker.ask('approve', approvalId, { as: ANA, via: 'app' })))
}
