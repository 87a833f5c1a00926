// The runtime over its ports: what a host calls, put together. It decides nothing itself.

import type { Progress } from '../actor/actor.ts'
import type { Json } from '../json.ts'
import { ToolturnError } from '../errors.ts'
import type { Event, StoredEvent } from '../events.ts'
import type { Ports } from '../ports.ts'
import { fold, parseEvent } from '../fold.ts'
import type { TurnState } from '../state.ts'
import { capabilityDocument, effectSeams } from '../capabilities.ts'
import { forkTurn } from '../fork.ts'
import { messagesOf, viewOf } from '../view.ts'
import type { As, Runtime, SpawnOptions, TurnHandle, TurnResult } from './api.ts'
import { audit, rowOf } from './audit.ts'
import { readFilter, readLimits, readPrincipal, readTenant, refuse } from './door.ts'
import { createHub, type Hub } from './hub.ts'
import { cancelTurn, retryTurn, settleCall } from './lifecycle.ts'
import { answerTurn, partyOf, readDecision, resolveHold, type Wanted } from './resolve.ts'
import { keyConflict, openTurn, type SpawnDefaults } from './spawn.ts'
import { supervise, type Supervisor } from './supervisor.ts'
import { loadTurn } from './unowned.ts'
import { eventsOf, untilAtRest } from './watch.ts'

export type RuntimeOptions = SpawnDefaults & {
  /** False: spawns, reads and resolves, and runs nothing. */
  readonly drive: boolean
  readonly concurrency: number
  readonly subscribe: Runtime['subscribe']
  /** An unrecorded delta, to be told on `progress.…`: sent and forgotten. */
  readonly onProgress: (progress: Progress) => void
  /** A record that a replay served, to be told on `replays.…`, never on `turns.…` (D8). */
  readonly onReplayed: (event: StoredEvent) => void
  /** What is configured beside the store and the bus, for `doctor`. */
  readonly configured: { readonly [name: string]: Json }
  /** Lets go of what the host opened; last. */
  readonly release: () => Promise<void>
}

type Core = {
  readonly ports: Ports
  readonly options: RuntimeOptions
  readonly hub: Hub
  readonly supervisor: Supervisor | null
  /** The name under which a process that drives nothing writes. */
  readonly writer: string
  closed: Promise<void> | null
}

const CLOSE_GRACE_MS = 30_000

/** Puts a runtime together and, when it drives, starts it. */
export async function createRuntimeOver(ports: Ports, options: RuntimeOptions): Promise<Runtime> {
  const hub = createHub()
  const onCommitted = (events: readonly StoredEvent[]) => {
    for (const turnId of new Set(events.map(event => event.turnId))) hub.tell(turnId)
  }
  const onProgress = (progress: Progress) => {
    hub.tellProgress(progress)
    options.onProgress(progress)
  }
  const { runtime, concurrency } = options
  const supervisor = options.drive
    ? await supervise(ports, { runtime, concurrency, onCommitted, onProgress })
    : null
  const core: Core = { ports, options, hub, supervisor, writer: ports.random.workerId(), closed: null }
  return { name: runtime, ...acting(core), ...reading(core), ...audit(ports, options), ...telling(core), ...running(core) }
}

function acting(core: Core) {
  const { ports } = core
  const resolved = async (approvalId: string, wanted: Wanted, options: As & { readonly tenant?: string }) => {
    const resolution = await resolveHold(ports, approvalId, wanted, options).finally(() => news(core, approvalId.split('.')[0] ?? ''))
    return resolution
  }
  return {
    spawn: (options: SpawnOptions) => spawn(core, options),
    approve: (approvalId, { arguments: edited, ...options }) =>
      resolved(approvalId, edited === undefined ? { kind: 'approve' } : { kind: 'approve', arguments: edited }, options),
    deny: (approvalId, { reason, ...options }) => resolved(approvalId, reason === undefined ? { kind: 'deny' } : { kind: 'deny', reason }, options),
    decide: async (approvalId, decision, options) => resolved(approvalId, readDecision(decision), options),
    answer: (turnId, { answer, ...options }) => answerTurn(ports, turnId, answer, options).finally(() => news(core, turnId)),
    cancel: async (turnId, options) => {
      await cancelTurn(ports, turnId, options)
      news(core, turnId)
    },
    retry: async (turnId, options) => {
      await retryTurn(ports, turnId, options)
      news(core, turnId)
      return get(core, turnId, options.tenant)
    },
    settle: async (turnId, ordinal, options) => {
      await settleCall(ports, turnId, ordinal, options, options)
      news(core, turnId)
    },
  } satisfies Partial<Runtime>
}

function reading(core: Core) {
  const { ports } = core
  return {
    get: (turnId, options = {}) => get(core, turnId, options.tenant),
    events: (turnId, options = {}) => handle(core, turnId, '', true).events(options),
    result: async (turnId, { tenant, ...options } = {}) => (await get(core, turnId, tenant)).result(options),
    show: async (turnId, options = {}) => {
      const row = await rowOf(ports, turnId, options.tenant)
      return { ...viewOf((await loadTurn(ports, turnId, options.tenant)).state), row }
    },
    messages: async (turnId, options = {}) => messagesOf((await loadTurn(ports, turnId, options.tenant)).state, options.round),
    list: async (options = {}) => ports.store.list(readFilter(options)),
    approvals: async (options = {}) =>
      ports.store.approvals({ ...readFilter(options), ...(options.settled === undefined ? {} : { settled: options.settled }) }),
  } satisfies Partial<Runtime>
}

function telling(core: Core) {
  const { ports, options } = core
  const { limits, ask, providerTools } = options
  return {
    fork: (turnId, wanted) => fork(core, turnId, wanted),
    capabilities: () => capabilityDocument({ limits: readLimits(limits), ask, providerTools, model: ports.model?.capabilities ?? null }),
    effectSeams: () => effectSeams(providerTools),
    subscribe: (wanted, handler: (event: Event) => Promise<void> | void) => options.subscribe(wanted, handler),
  } satisfies Partial<Runtime>
}

function running(core: Core) {
  const { ports, supervisor, options } = core
  return {
    recover: async turnId => {
      if (supervisor === null) refuse('drive', 'true: this runtime runs nothing')
      return { driven: await supervisor.recover(turnId) }
    },
    doctor: async () => ({
      store: (await ports.store.health()) as unknown as Json,
      bus: (await ports.bus.health()) as unknown as Json,
      ...options.configured,
    }),
    close: ({ graceMs = CLOSE_GRACE_MS } = {}) => {
      core.closed ??= closeCore(core, graceMs)
      return core.closed
    },
  } satisfies Partial<Runtime>
}

async function closeCore({ supervisor, options }: Core, graceMs: number): Promise<void> {
  await supervisor?.close(graceMs)
  await options.release()
}

/** Somebody of this process appended: listeners read, and the turn is driven on. */
function news({ hub, supervisor }: Core, turnId: string): void {
  hub.tell(turnId)
  supervisor?.nudge(turnId)
}

async function spawn(core: Core, options: SpawnOptions): Promise<TurnHandle> {
  const { ports, supervisor } = core
  if (core.closed !== null) throw new ToolturnError('runtime_closed', '')
  const followed = options.follows === undefined ? null : (await loadTurn(ports, options.follows, readTenant(options.tenant))).state
  await supervisor?.room(options.signal)
  options.signal?.throwIfAborted()
  const owner = supervisor?.worker() ?? null
  const { turn, state } = openTurn(options, core.options, followed, ports, owner ?? core.writer, owner)
  const answer = await ports.store.open(turn)
  switch (answer.answer) {
    case 'opened':
      ports.outbox.committed(turn.events, turn.labels)
      supervisor?.adopt(state, 1, turn.turnKey)
      return handle(core, turn.turnId, turn.tenant, false)
    case 'existing':
      return handle(core, answer.turnId, turn.tenant, true)
    case 'conflict':
      throw keyConflict(options.key, answer.turnId)
  }
}

/** Opens a turn that begins with a copy of another one's records (D13). */
async function fork(core: Core, turnId: string, { at, as, tenant }: Parameters<Runtime['fork']>[1]): Promise<TurnHandle> {
  const { ports, supervisor } = core
  const row = await rowOf(ports, turnId, tenant)
  const secrets = await ports.store.secrets(turnId)
  if (secrets === null) throw new ToolturnError('turn_not_found', '', { turnId })
  await supervisor?.room()
  const owner = supervisor?.worker() ?? null
  const actor = as === undefined ? { kind: 'worker' as const, id: owner ?? core.writer } : partyOf(readPrincipal('as', as))
  const source = { events: await ports.store.read(turnId), turnKey: secrets.turnKey }
  const { turn, state } = await forkTurn(source, at, ports, { actor, owner })
  await ports.store.open(turn)
  ports.outbox.committed(turn.events, turn.labels)
  supervisor?.adopt(state, 1, turn.turnKey)
  return handle(core, turn.turnId, row.tenant, false)
}

async function get(core: Core, turnId: string, tenant: string | undefined): Promise<TurnHandle> {
  const row = await rowOf(core.ports, turnId, tenant)
  return handle(core, turnId, row.tenant, true)
}

function handle(core: Core, id: string, tenant: string, existing: boolean): TurnHandle {
  return {
    id,
    tenant,
    existing,
    events: eventsOf(core, id),
    result: ({ signal } = {}) => result(core, id, signal),
  }
}

/** What came of the turn, from the actor that drives it here, or from the store. */
async function result(core: Core, turnId: string, signal?: AbortSignal): Promise<TurnResult> {
  const state = (await drivenHere(core, turnId)) ?? (await storedAtRest(core, turnId, signal))
  return viewOf(state)
}

async function drivenHere({ supervisor }: Core, turnId: string): Promise<TurnState | null> {
  const driven = await supervisor?.driving(turnId)?.catch(() => null)
  return driven !== null && driven !== undefined && (driven.end === 'ended' || driven.end === 'rests') ? driven.state : null
}

async function storedAtRest(core: Core, turnId: string, signal?: AbortSignal): Promise<TurnState> {
  if (!(await untilAtRest(core, turnId, signal))) throw signal?.reason ?? new ToolturnError('runtime_closed', '', { turnId })
  const events = await core.ports.store.read(turnId)
  if (events.length === 0) throw new ToolturnError('turn_not_found', '', { turnId })
  return fold(events.map(parseEvent))
}
