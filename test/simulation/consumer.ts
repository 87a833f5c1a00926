// Replicas of one consumer that keeps its place where it keeps its effects: each committed version must reach it, in order.

import { subscribe } from '../../bus/consumer.ts'
import { openMemory } from '../../store/memory.ts'
import { busPort } from './bus-port.ts'
import { logPort } from './log-port.ts'
import type { Host, Process } from './process.ts'
import { shortName, type Stage } from './stage.ts'
import { storePort } from './store-port.ts'

/** What the consumer has of each turn: the last version whose effect is there. Outlives its processes. */
export type Shelf = { readonly versions: Map<string, number>; readonly processes: Process[] }

const PACE = { leaseMs: 9_000, proveMs: 15_000, workingMs: 5_000 }
const FAILS = 0.03

export async function startConsumer(stage: Stage, host: Host, process: Process, shelf: Shelf): Promise<void> {
  const { life, line, name } = process
  shelf.processes.push(process)
  const chance = stage.chance.part(`process/${name}`)
  const log = logPort(stage, process)
  const handle = openMemory(stage.database)
  const connection = stage.broker.open(log)
  process.connections.push(
    () => void handle.close(),
    () => void connection.close(),
  )
  const store = storePort({
    store: handle,
    line,
    chance,
    away: () => host.away(process),
    faults: () => ({ cut: 0, busy: 0, refuseRecord: 0 }),
    pass: stage.time.pass,
    committed: () => undefined,
    claimed: () => undefined,
    released: () => () => undefined,
    say: () => undefined,
    skewMs: 0,
    hears: false,
  })
  const seen = {
    version: (turnId: string) => line('place', () => shelf.versions.get(turnId) ?? null),
    advance: (turnId: string, version: number) =>
      line('advance', () => void shelf.versions.set(turnId, Math.max(version, shelf.versions.get(turnId) ?? 0))),
  }
  const ports = { store, bus: busPort(stage, process, connection), clock: life.clock, log, random: { workerId: () => name } }
  await subscribe(
    ports,
    { name: 'audit', from: 'start', seen },
    ({ turnId, version }) => {
      const fails = !stage.isCalm() && chance.hit(FAILS)
      return line('handle', () => {
        if (fails) throw new Error('The simulated handler throws.')
        take(stage, shelf, turnId, version)
      })
    },
    PACE,
  )
}

/** The effect and the place in one: a version that is there already is refused, as a unique row would. */
function take(stage: Stage, shelf: Shelf, turnId: string, version: number): void {
  const { versions, processes } = shelf
  const { storeOutages, clockJumps, latencyMs } = stage.plan
  const last = versions.get(turnId) ?? 0
  if (version > last + 1) stage.broken(`${shortName(turnId)}: a consumer is given version ${version} behind version ${last}`)
  const once = !storeOutages && !clockJumps && latencyMs <= 400 && processes.every(({ life }) => !life.hadTrouble())
  if (version <= last && once) stage.broken(`${shortName(turnId)}: a consumer is given version ${version} again`)
  if (version === last + 1) versions.set(turnId, version)
}
