// A turn in a host's hands, and the parts of a runtime that it is made of.

import { ToolturnError } from '../errors.ts'
import { fold, parseEvent } from '../fold.ts'
import type { Ports } from '../ports.ts'
import type { TurnState } from '../state.ts'
import { viewOf } from '../view.ts'
import type { TurnHandle, TurnResult } from './api.ts'
import { rowOf } from './audit.ts'
import type { Hub } from './hub.ts'
import type { RuntimeOptions } from './runtime.ts'
import type { Supervisor } from './supervisor.ts'
import { eventsOf, isAtRest, untilAtRest } from './watch.ts'

export type Core = {
  readonly ports: Ports
  readonly options: RuntimeOptions
  readonly hub: Hub
  readonly supervisor: Supervisor | null
  /** The name under which a process that drives nothing writes. */
  readonly writer: string
  closed: Promise<void> | null
}

/** @throws ToolturnError `turn_not_found` */
export async function get(core: Core, turnId: string, tenant: string | undefined): Promise<TurnHandle> {
  const row = await rowOf(core.ports, turnId, tenant)
  return handle(core, turnId, row.tenant, true)
}

export function handle(core: Core, id: string, tenant: string, existing: boolean): TurnHandle {
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
  const state = (await unlessAborted(drivenHere(core, turnId), signal)) ?? (await storedAtRest(core, turnId, signal))
  return viewOf(state)
}

/** Null once the signal is aborted: a turn that is driven here may take long, and whoever waits may give up. */
async function unlessAborted(driven: Promise<TurnState | null>, signal?: AbortSignal): Promise<TurnState | null> {
  if (signal === undefined) return driven
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const onAbort = () => resolve(null)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([driven, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function drivenHere({ supervisor }: Core, turnId: string): Promise<TurnState | null> {
  const driven = await supervisor?.driving(turnId)?.catch(() => null)
  const rested = driven !== null && driven !== undefined && (driven.end === 'ended' || driven.end === 'rests') && isAtRest(driven.state)
  return rested ? driven.state : null
}

async function storedAtRest(core: Core, turnId: string, signal?: AbortSignal): Promise<TurnState> {
  for (;;) {
    if (!(await untilAtRest(core, turnId, signal))) throw signal?.reason ?? new ToolturnError('runtime_closed', '', { turnId })
    const events = await core.ports.store.read(turnId)
    if (events.length === 0) throw new ToolturnError('turn_not_found', '', { turnId })
    const state = fold(events.map(parseEvent))
    // Somebody may have appended since the row was read: then the turn is on its way again.
    if (isAtRest(state)) return state
  }
}
