// A turn on a stage: the real loop over the memory store, with time, chance and ids in the hands of a test. After each append the
// state that the actor holds is compared with the one that the stored stream folds to.

import { isDeepStrictEqual } from 'node:util'
import { buildCatalog } from '../../machines/runtime/catalog.ts'
import { createActor, type Actor } from '../../machines/actor/actor.ts'
import { drive, type DriveEnd } from '../../machines/actor/drive.ts'
import { SCHEMA_VERSION, type StoredEvent } from '../../machines/events.ts'
import type { ProviderTool } from '../../machines/events/turn.ts'
import { fold, parseEvent } from '../../machines/fold.ts'
import type { LimitOptions } from '../../machines/limits.ts'
import type { Ports } from '../../machines/ports.ts'
import type { Model } from '../../machines/ports/model.ts'
import type { Append } from '../../machines/ports/store.ts'
import type { Policy, Redactor } from '../../machines/ports/world.ts'
import { readSpawn } from '../../machines/runtime/spawn-options.ts'
import { openTurn } from '../../machines/runtime/spawn.ts'
import type { SpawnOptions } from '../../machines/runtime/api.ts'
import type { TurnState } from '../../machines/state.ts'
import type { Tool } from '../../machines/tool.ts'
import { openNone, noOutbox } from '../../bus/none.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { watchedStore, type Fate } from './store.ts'
import { countedRandom, heldClock, type HeldClock } from './world.ts'

export type StageOptions = {
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly policy?: Policy
  readonly ask?: string
  readonly limits?: LimitOptions
  readonly providerTools?: readonly ProviderTool[]
  readonly redactor?: Redactor
  /** Told of each append that the actor committed and folded. */
  readonly onCommitted?: () => void
  /** Told of each append that was accepted, whoever made it. */
  readonly onAppended?: (append: Pick<Append, 'epoch' | 'events' | 'release'>) => void
}

export type Stage = {
  readonly ports: Ports
  readonly clock: HeldClock
  readonly turnId: string
  /** Claims the turn when it is due, and drives it until it ends, rests or the worker crashes. */
  readonly drive: () => Promise<DriveEnd | 'not due'>
  /** The worker dies: what runs is let go, and nothing more is started or appended by it. */
  readonly crash: () => void
  /** What the actor that drives now holds; null while nobody does. */
  readonly actor: () => Actor | null
  readonly events: () => Promise<readonly StoredEvent[]>
  readonly state: () => Promise<TurnState>
  /** What becomes of the appends of owners, from now on. */
  readonly decide: (fate: (append: Append) => Fate) => void
  /** Appends after which the actor's state was not the folded one. */
  readonly strayed: readonly string[]
}

const START = Date.parse('2026-01-01T00:00:00.000Z')
/** A lease ends when a test says so, not by the clock that it moves. */
const LEASE_MS = 1e12
const RUNTIME = 'stage'
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
const PLAIN: Redactor = { value: value => ({ value, changed: false }), text: text => ({ text, changed: false }), reach: 0 }

/** Opens one turn. */
export async function openStage(options: StageOptions, spawn: SpawnOptions): Promise<Stage> {
  const clock = heldClock()
  const { model, tools, policy = () => 'allow', redactor = PLAIN, onAppended = () => undefined } = options
  const database = memoryDatabase({ epochMs: () => START + clock.monotonic(), instance: 'stage' })
  const worker: Worker = { crash: () => undefined }
  const store = watchedStore(openMemory(database), { committed: onAppended, died: () => worker.crash() })
  const ports: Ports = {
    store,
    outbox: noOutbox,
    bus: openNone(),
    model,
    tools: buildCatalog(tools, SILENT),
    policy,
    redactor,
    sealer: null,
    blobs: null,
    clock,
    random: countedRandom(),
    log: SILENT,
  }
  const { ask = 'ask_user', limits, providerTools = [] } = options
  const { turn } = openTurn(
    readSpawn(spawn),
    { runtime: RUNTIME, system: undefined, ask, limits, providerTools },
    null,
    ports,
    'spawner',
    null,
  )
  await store.open(turn)
  onAppended({ epoch: null, events: turn.events })
  const acts = acting(ports, turn.turnId, options)
  worker.crash = acts.crash
  return { ports, clock, turnId: turn.turnId, decide: store.decide, ...acts }
}

type Worker = { crash: () => void }

function acting(ports: Ports, turnId: string, { onCommitted }: StageOptions) {
  const strayed: string[] = []
  let worker: { readonly id: string; readonly over: AbortController } | null = null
  let actor: Actor | null = null
  const events = () => ports.store.read(turnId)

  const committed = (appended: readonly StoredEvent[]) => {
    const live = actor?.state
    if (live === undefined) return
    onCommitted?.()
    void events().then(all => {
      const folded = fold(all.slice(0, live.version).map(parseEvent))
      if (isDeepStrictEqual(plainState(live), plainState(folded))) return
      strayed.push(`version ${live.version}: ${appended.map(event => event.type).join(' ')}`)
    })
  }

  return {
    strayed,
    events,
    actor: () => actor,
    state: async () => fold((await events()).map(parseEvent)),
    crash: () => {
      if (worker !== null) void ports.store.retire(worker.id)
      worker?.over.abort(new Error('the worker died'))
      worker = null
    },
    drive: async () => {
      worker ??= await enlist(ports)
      const { id, over } = worker
      const tools = [...ports.tools.keys()]
      const [claimed] = await ports.store.claim({ worker: id, count: 1, runtime: RUNTIME, tools, format: SCHEMA_VERSION, turnId })
      const secrets = await ports.store.secrets(turnId)
      if (claimed === undefined || secrets === null) return 'not due'
      actor = createActor({
        state: fold((await events()).map(parseEvent)),
        epoch: claimed.epoch,
        turnKey: secrets.turnKey,
        ports,
        control: {
          worker: id,
          mayAct: () => !over.signal.aborted,
          draining: () => false,
          signal: over.signal,
          onProgress: () => undefined,
          onCommitted: committed,
        },
      })
      return drive(actor)
    },
  } satisfies Omit<Stage, 'ports' | 'clock' | 'turnId' | 'decide'>
}

async function enlist(ports: Ports) {
  const id = ports.random.workerId()
  await ports.store.enlist(id, LEASE_MS)
  return { id, over: new AbortController() }
}

/** A state without the machinery that its snapshots carry. */
function plainState(state: TurnState): unknown {
  const { chart, calls, catalog, ...rest } = state
  const plainCalls = [...calls.values()].map(call => ({ ...call, chart: { value: call.chart.value, context: call.chart.context } }))
  return { ...rest, chart: { value: chart.value, context: chart.context }, calls: plainCalls, catalog: [...catalog.values()] }
}
