// A runtime for the time of one command: opened where the options say, and let go of whatever happens.

import type { BusSource } from '../../bus/source.ts'
import type { Log } from '../../machines/ports/world.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { StoreSource } from '../../store/source.ts'
import type { HostOptions } from '../host.ts'
import { loadConfig, type ConfigFlags } from './config.ts'
import { logTo } from './log.ts'
import type { Output } from './output.ts'
import { busOf, namesBus, namesStore, storeOf, tenantOf, type WhereFlags } from './where.ts'

/**
 * - `nothing`: reads, or appends and lets others drive.
 * - `own`: on a store that only this process has, what it acts on is driven to rest. That needs a model, so a configuration.
 * - `all`: claims what is due, as a worker does.
 */
export type Drives = 'nothing' | 'own' | 'all'

export type Opened = {
  readonly runtime: Runtime
  readonly tenant: string
  /** True when this process drives. */
  readonly drives: boolean
  /** True on a store that no other process can drive meanwhile. */
  readonly alone: boolean
}

type Flags = WhereFlags & ConfigFlags

/** What the runtime of a command is made of. */
export async function hostOptions(flags: Flags, log: Log): Promise<HostOptions & { readonly store: StoreSource; readonly bus: BusSource }> {
  const config = await loadConfig(flags)
  const store = namesStore(flags) || config.store === undefined ? await storeOf(flags).source() : config.store
  const bus = namesBus(flags) || config.bus === undefined ? await busOf(flags).source() : config.bus
  return { log, ...config, store, bus }
}

/** Opens a runtime, does the work and closes it, also when the work fails. */
export async function withRuntime<T>(flags: Flags, drives: Drives, out: Output, work: (opened: Opened) => Promise<T>): Promise<T> {
  const options = await hostOptions(flags, logTo(out, 'warn'))
  const alone = options.store.kind !== 'postgres'
  const drive = drives === 'all' || (drives === 'own' && alone && options.model !== undefined)
  const { createRuntime } = await import('../host.ts')
  const runtime = await createRuntime({ ...options, drive })
  try {
    return await work({ runtime, tenant: tenantOf(flags), drives: drive, alone })
  } finally {
    await runtime.close()
  }
}
