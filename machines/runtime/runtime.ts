// The runtime over its ports: what a host calls, put together. It decides nothing itself.

import type { Progress } from '../actor/actor.ts'
import type { Json } from '../json.ts'
import { ToolturnError } from '../errors.ts'
import type { Event, StoredEvent } from '../events.ts'
import type { Ports } from '../ports.ts'
import { capabilityDocument, effectSeams } from '../capabilities.ts'
import { forkTurn } from '../fork.ts'
import { messagesOf, viewOf } from '../view.ts'
import type { Deciding, Runtime, SpawnOptions, TurnHandle } from './api.ts'
import { audit, rowOf } from './audit.ts'
import { streamsWhileOpen, whileOpen } from './closing.ts'
import { readFilter, readKnown, readLimits, readPrincipal, readText, readTurnId, refuse } from './door.ts'
import { get, handle, type Core } from './handle.ts'
import { createHub } from './hub.ts'
import { cancelTurn, retryTurn, settleCall } from './lifecycle.ts'
import { answerTurn, partyOf, readDecision, resolveHold, type Wanted } from './resolve.ts'
import { readSpawn } from './spawn-options.ts'
import { keyConflict, openTurn, type SpawnDefaults } from './spawn.ts'
import { supervise } from './supervisor.ts'
import { loadTurn } from './unowned.ts'

export type RuntimeOptions = SpawnDefaults & {
  /** False: spawns, reads and resolves, and runs nothing. */
  readonly drive: boolean
  readonly concurrency: number
  /** What this process has of what turns offer (see `servedAs`). */
  readonly serves: readonly string[]
  readonly subscribe: Runtime['subscribe']
  /** An unrecorded delta, to be told on `progress.…`: sent and forgotten. */
  readonly onProgress: (progress: Progress) => void
  /** A record that a replay served, to be told on `replays.…`, never on `turns.…` (D8). */
  readonly onReplayed: (event: StoredEvent) => void
  /** What is configured beside the store and the bus, for `doctor`. */
  readonly configured: () => { readonly [name: string]: Json }
  /** Lets go of what the host opened; last. */
  readonly release: () => Promise<void>
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
  const { runtime, concurrency, serves } = options
  const supervisor = options.drive ? await supervise(ports, { runtime, concurrency, serves, onCommitted, onProgress }) : null
  const core: Core = { ports, options, hub, supervisor, writer: ports.random.workerId(), closed: null }
  const isClosed = () => core.closed !== null
  const { export: exported, ...audited } = audit(ports, options)
  return {
    name: runtime,
    ...whileOpen(isClosed, { ...acting(core), ...reading(core), ...audited, ...telling(core), ...running(core) }),
    ...streamsWhileOpen(isClosed, { events: followed(core), export: exported }),
    ...describing(core),
    close: ({ graceMs = CLOSE_GRACE_MS } = {}) => {
      core.closed ??= closeCore(core, graceMs)
      return core.closed
    },
  }
}

const DECIDING = ['as', 'via', 'tenant']

function acting(core: Core) {
  const { ports } = core
  const resolved = (approvalId: string, wanted: Wanted, options: Deciding) =>
    resolveHold(ports, readText('approvalId', approvalId), wanted, options).finally(() => news(core, approvalId.split('.')[0] ?? ''))
  return {
    spawn: (options: SpawnOptions) => spawn(core, options),
    approve: async (approvalId, options) => {
      const { arguments: edited, answers, ...lane } = readKnown('options', options, [...DECIDING, 'arguments', 'answers'])
      const given = { ...(edited === undefined ? {} : { arguments: edited }), ...(answers === undefined ? {} : { answers }) }
      return resolved(approvalId, { kind: 'approve', ...given }, lane)
    },
    deny: async (approvalId, options) => {
      const { reason, ...lane } = readKnown('options', options, [...DECIDING, 'reason'])
      if (reason !== undefined && typeof reason !== 'string') refuse('reason', 'a text')
      return resolved(approvalId, reason === undefined ? { kind: 'deny' } : { kind: 'deny', reason }, lane)
    },
    decide: async (approvalId, decision, options) => resolved(approvalId, readDecision(decision), readKnown('options', options, DECIDING)),
    answer: async (turnId, options) => {
      const { answer, ...lane } = readKnown('options', options, [...DECIDING, 'answer'])
      await answerTurn(ports, readTurnId(turnId), answer, lane).finally(() => news(core, turnId))
    },
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
    get: (turnId, options = {}) => get(core, turnId, readKnown('options', options, ['tenant']).tenant),
    result: async (turnId, options = {}) => {
      const { tenant, signal } = readKnown('options', options, ['tenant', 'signal'])
      return (await get(core, turnId, tenant)).result(signal === undefined ? {} : { signal })
    },
    show: async (turnId, options = {}) => {
      const { tenant } = readKnown('options', options, ['tenant'])
      const row = await rowOf(ports, turnId, tenant)
      return { ...viewOf((await loadTurn(ports, turnId, tenant)).state), row }
    },
    messages: async (turnId, options = {}) => {
      const { tenant, round } = readKnown('options', options, ['tenant', 'round'])
      return messagesOf((await loadTurn(ports, readTurnId(turnId), tenant)).state, round)
    },
    list: async (options = {}) => ports.store.list(readFilter(options)),
    approvals: async (options = {}) => {
      const filter = readFilter(options, ['settled'])
      return ports.store.approvals({ ...filter, ...(options.settled === undefined ? {} : { settled: options.settled === true }) })
    },
  } satisfies Partial<Runtime>
}

/** The events of a turn by its id, as its handle gives them. */
function followed(core: Core): Runtime['events'] {
  return (turnId, options = {}) => handle(core, readTurnId(turnId), '', true).events(readKnown('options', options))
}

function telling(core: Core) {
  return {
    fork: (turnId, wanted) => fork(core, turnId, wanted),
    subscribe: (wanted, handler: (event: Event) => Promise<void> | void) => core.options.subscribe(wanted, handler),
  } satisfies Partial<Runtime>
}

/** What needs nothing that is opened, and so is told after the close as before. */
function describing({ ports, options }: Core) {
  const { limits, ask, providerTools } = options
  return {
    capabilities: () => capabilityDocument({ limits: readLimits(limits), ask, providerTools, model: ports.model?.capabilities ?? null }),
    effectSeams: () => effectSeams(providerTools),
  } satisfies Partial<Runtime>
}

function running(core: Core) {
  const { ports, supervisor, options } = core
  return {
    recover: async turnId => {
      if (supervisor === null) refuse('drive', 'true: this runtime runs nothing')
      return { driven: await supervisor.recover(turnId === undefined ? undefined : readTurnId(turnId)) }
    },
    doctor: async () => ({
      store: (await ports.store.health()) as unknown as Json,
      bus: (await ports.bus.health()) as unknown as Json,
      ...options.configured(),
    }),
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
  const wish = readSpawn(options)
  const followed = wish.follows === null ? null : (await loadTurn(ports, wish.follows, wish.tenant)).state
  await supervisor?.room(wish.signal)
  wish.signal?.throwIfAborted()
  const owner = supervisor?.worker() ?? null
  const { turn, state } = openTurn(wish, core.options, followed, ports, owner ?? core.writer, owner)
  const answer = await ports.store.open(turn)
  switch (answer.answer) {
    case 'opened':
      ports.outbox.committed(turn.events, turn.labels)
      supervisor?.adopt(state, 1, turn.turnKey)
      return handle(core, turn.turnId, turn.tenant, false)
    case 'existing':
      return handle(core, answer.turnId, turn.tenant, true)
    case 'conflict':
      throw keyConflict(answer.turnId)
  }
}

/** Opens a turn that begins with a copy of another one's records (D13). */
async function fork(core: Core, turnId: string, wanted: Parameters<Runtime['fork']>[1]): Promise<TurnHandle> {
  const { ports, supervisor } = core
  const { at, as, tenant } = readKnown('options', wanted, ['at', 'as', 'tenant'])
  if (!Number.isSafeInteger(at)) refuse('at', 'a version, a whole number')
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
