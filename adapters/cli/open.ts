// A runtime for the time of one command: opened where the options say, and let go of whatever happens.

import type { Log } from '../../machines/ports/world.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { HostOptions } from '../host.ts'
import { claimedByName, claimedInto, type Claims } from './claims.ts'
import { loadConfig, type ConfigFlags } from './config.ts'
import { logTo } from './log.ts'
import type { Output } from './output.ts'
import { busOf, namesBus, namesStore, storeOf, tenantOf, type BusSource, type StoreSource, type WhereFlags } from './where.ts'

/**
 * - `nothing`: reads, or appends and lets others drive.
 * - `own`: on a store that only this process has, what it acts on is driven to rest. That needs a model, so a configuration.
 * - `new`: the same, for the turn that it opens; it may be the first one in its store.
 * - `one`: the turn it names.
 * - `due`: claims what is due, as a worker does.
 */
export type Drives = 'nothing' | 'own' | 'new' | 'one' | 'due'

export type Opened = {
  readonly runtime: Runtime
  readonly tenant: string
  /** True when this process drives. */
  readonly drives: boolean
  /** True on a store that no other process can drive meanwhile. */
  readonly alone: boolean
  /** What it claimed, where it claims what is due. */
  readonly claims: Claims
}

type Flags = WhereFlags & ConfigFlags

/** What a command makes its runtime of. */
export type Host = HostOptions & { readonly store: StoreSource; readonly bus: BusSource; readonly drive: boolean }

/** @throws ToolturnError `option_invalid`; nothing is opened yet */
export async function hostOptions(flags: Flags, drives: Drives, log: Log): Promise<Host> {
  const config = await loadConfig(flags)
  const store =
    namesStore(flags) || config.store === undefined ? await storeOf(flags).source(drives === 'new' || drives === 'due') : config.store
  const drive =
    drives === 'one' || drives === 'due' || ((drives === 'own' || drives === 'new') && isAlone(store) && config.model !== undefined)
  const bus = namesBus(flags) || config.bus === undefined ? await busOf(flags, drive) : config.bus
  return { log, ...config, store, bus, drive }
}

/** True of a store that no other process can drive meanwhile. */
function isAlone(store: StoreSource): boolean {
  return store.kind !== 'postgres'
}

/** Opens a runtime, does the work and closes it, also when the work fails. */
export async function withRuntime<T>(flags: Flags, drives: Drives, out: Output, work: (opened: Opened) => Promise<T>): Promise<T> {
  const host = await hostOptions(flags, drives, logTo(out, 'warn'))
  const claims: Claims = { turnIds: new Set(), underWay: 0 }
  const store = drives === 'due' ? claimedInto(claims, host.store) : claimedByName(host.store)
  const { createRuntime } = await import('../host.ts')
  const runtime = await createRuntime({ ...host, store })
  try {
    return await work({ runtime, tenant: tenantOf(flags), drives: host.drive, alone: isAlone(store), claims })
  } finally {
    await runtime.close()
  }
}
