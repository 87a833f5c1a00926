// One simulated process: the real runtime, supervisor, publisher, relay and consumer over ports that may fail, on a life that
// may end at any call.

import { publisher } from '../../bus/publisher.ts'
import { noOutbox } from '../../bus/none.ts'
import { relay } from '../../bus/relay.ts'
import type { Ports } from '../../machines/ports.ts'
import type { Policy, Random, Redactor, Sealer } from '../../machines/ports/world.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { buildCatalog } from '../../machines/runtime/catalog.ts'
import { createRuntimeOver } from '../../machines/runtime/runtime.ts'
import { now } from '../../store/memory-database.ts'
import { openMemory } from '../../store/memory.ts'
import type { Answers } from './answers.ts'
import { busPort } from './bus-port.ts'
import { ASK, catalogOf } from './catalog.ts'
import { doingOf } from './doing.ts'
import type { Life } from './life.ts'
import type { Line } from './line.ts'
import { logPort } from './log-port.ts'
import { modelPort } from './model-port.ts'
import type { Plan } from './plan.ts'
import { brokenRelease } from './rows.ts'
import type { Sabotage } from './sabotage.ts'
import { shortName, type Stage } from './stage.ts'
import { storePort } from './store-port.ts'

export type Process = {
  readonly life: Life
  readonly name: string
  readonly line: Line
  /** False: a web process, which runs nothing. */
  readonly drives: boolean
  /** Ids under which it enlisted. */
  readonly workers: Set<string>
  /** By its own clock: when its lease ends. */
  leaseUntil: number
  /** Null until it is up. */
  runtime: Runtime | null
  drains: boolean
  /** Connections, which close when it dies. */
  readonly connections: (() => void)[]
}

/** What every process of a run is given alike. */
export type Host = {
  readonly answers: Answers
  readonly asked: Set<string>
  readonly policy: Policy
  readonly redactor: Redactor
  readonly sealer: Sealer | null
  /** True while this process cannot reach the store. */
  readonly away: (process: Process) => boolean
  readonly sabotage: Sabotage
}

/** Connects a process and starts its runtime. Rejects where the store is out of reach; does not return when it dies meanwhile. */
export async function startRuntime(stage: Stage, host: Host, process: Process): Promise<void> {
  const { drives } = process
  const { random, tools, ...common } = connect(stage, host, process)
  const outbox = drives ? publisher(common) : null
  const relaying = drives ? relay(common, random.workerId()) : null
  const { policy, redactor, sealer } = host
  const ports: Ports = {
    ...common,
    ...{ random, tools, policy, redactor, sealer },
    outbox: outbox ?? noOutbox,
    model: modelPort(stage, process, host.answers, host.asked),
    blobs: stage.plan.blobs ? common.store.blobs : null,
  }
  const release = async () => {
    await relaying?.close()
    await outbox?.close()
    for (const close of process.connections) close()
  }
  process.runtime = await createRuntimeOver(ports, { ...optionsOf(stage.plan), serves: [...ports.tools.keys()], drive: drives, release })
}

/** What a process has of its own: connections that die with it, chance from its name, and the tools of its release. */
function connect(stage: Stage, host: Host, process: Process) {
  const { plan } = stage
  const { life, name } = process
  const chance = stage.chance.part(`process/${name}`)
  const log = logPort(stage, process)
  const handle = openMemory(stage.database)
  const connection = stage.broker.open(log)
  process.connections.push(
    () => void handle.close(),
    () => void connection.close(),
  )
  const { store: asStore = store => store, bus: asBus = bus => bus, tool: asTool = tool => tool } = host.sabotage
  const catalog = catalogOf(plan, stage.chance.part('catalog'), driftOf(plan, name), doingOf(stage, process))
  return {
    store: leased(stage, process, storeOf(stage, host, process, asStore(handle, stage.database), chance.part('store'))),
    bus: busPort(stage, process, asBus(connection)),
    clock: life.clock,
    log,
    random: randomOf(name, chance.part('random'), stage),
    tools: buildCatalog(catalog.map(asTool), log),
  }
}

/** @param name `w2.1`: the first start of the second worker */
function driftOf({ drift }: Plan, name: string): Exclude<Plan['drift'], 'gone'> {
  if (drift === 'gone') return name.startsWith('w') && !name.endsWith('.1') ? 'lacks' : 'none'
  return name.startsWith('w2') ? drift : 'none'
}

function optionsOf(plan: Plan) {
  const replayPolicy = plan.providerTools === 'effect' ? ('at-most-once' as const) : ('read-only' as const)
  return {
    runtime: 'default',
    system: 'Help.',
    ask: ASK,
    limits: plan.limits,
    providerTools: plan.providerTools === 'none' ? [] : [{ name: 'search_web', replayPolicy }],
    concurrency: plan.concurrency,
    configured: () => ({}),
    subscribe: () => Promise.reject(new Error('consumers subscribe by themselves')),
    onProgress: () => undefined,
    onReplayed: () => undefined,
  }
}

function storeOf(stage: Stage, host: Host, process: Process, store: Store, chance: Stage['chance']): Store {
  const { plan, time, trace, records, isCalm } = stage
  return storePort({
    store,
    chance,
    line: process.line,
    away: () => host.away(process),
    faults: () => (isCalm() ? { cut: 0, busy: 0, refuseRecord: 0 } : plan),
    pass: time.pass,
    committed: records.committed,
    claimed: claims => stage.claims.took(process, claims),
    released: (turnId, epoch) => {
      const row = stage.database.turns.get(turnId)
      const record = records.of(turnId)
      const rules = row === undefined || record === undefined ? [] : brokenRelease(record.state, row, epoch, now(stage.database))
      return () => rules.forEach(rule => stage.broken(`${shortName(turnId)}: ${rule}`))
    },
    say: what => trace.say(process.name, what),
    skewMs: chance.from(-50, 50),
    hears: !plan.deaf,
  })
}

/** Follows the lease as the process itself must: past its end by its own clock nothing is appended by an owner. */
function leased(stage: Stage, process: Process, store: Store): Store {
  const { monotonic } = process.life.clock
  return {
    ...store,
    enlist: async (worker, leaseMs, serves) => {
      const before = monotonic()
      process.workers.add(worker)
      await store.enlist(worker, leaseMs, serves)
      process.leaseUntil = before + leaseMs
    },
    heartbeat: async (worker, leaseMs, held) => {
      const before = monotonic()
      const answer = await store.heartbeat(worker, leaseMs, held)
      if (answer.alive) process.leaseUntil = before + leaseMs
      return answer
    },
    append: append => {
      if (append.epoch !== null && monotonic() >= process.leaseUntil) stage.broken(`D2: ${process.name} appends after the end of its lease`)
      return store.append(append)
    },
  }
}

function randomOf(name: string, chance: Stage['chance'], stage: Stage): Random {
  let workers = 0
  const hex = (digits: number) => Array.from({ length: digits }, () => chance.from(0, 15).toString(16)).join('')
  return {
    turnId: () =>
      `0190a0b0-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(8)}${(stage.records.all().length + 1).toString(16).padStart(2, '0')}${hex(2)}`,
    workerId: () => `${name}-${(workers += 1)}`,
    bytes: chance.bytes,
    fraction: chance.fraction,
  }
}
