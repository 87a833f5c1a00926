// The composition root: a host's options made into ports, and a runtime over them. The one place that knows every layer.

import { Buffer } from 'node:buffer'
import { subscribe } from '../bus/consumer.ts'
import { memoryBroker, memoryBus } from '../bus/memory.ts'
import { eventMessage } from '../bus/message.ts'
import { noOutbox } from '../bus/none.ts'
import { publisher } from '../bus/publisher.ts'
import { relay } from '../bus/relay.ts'
import type { BusSource } from '../bus/source.ts'
import { progressSubject } from '../bus/subjects.ts'
import type { Event } from '../machines/events.ts'
import type { ProviderTool } from '../machines/events/turn.ts'
import type { LimitOptions } from '../machines/limits.ts'
import type { Ports } from '../machines/ports.ts'
import type { Bus } from '../machines/ports/bus.ts'
import type { Model } from '../machines/ports/model.ts'
import type { ToolSource } from '../machines/ports/source.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Blobs, Log, Policy } from '../machines/ports/world.ts'
import type { Runtime } from '../machines/runtime/api.ts'
import { liveCatalog } from '../machines/runtime/live-catalog.ts'
import { createRuntimeOver } from '../machines/runtime/runtime.ts'
import type { Tool } from '../machines/tool.ts'
import { memory } from '../store/memory-source.ts'
import type { StoreSource } from '../store/source.ts'
import { systemClock, systemRandom } from './clock.ts'
import { readHost } from './host-options.ts'
import { boundedPolicy } from './policy.ts'
import type { RedactOptions } from './redact.ts'

/** What a host configures. All of it may be left out but the model, where turns are driven. */
export type HostOptions = {
  /** A worker claims only turns that were opened under its own name. Default `default`. */
  readonly name?: string
  /** Default: in memory, gone with the process. */
  readonly store?: StoreSource
  /** Default: in this process. */
  readonly bus?: BusSource
  readonly model?: Model
  /** Tools, and sources of tools such as `mcp(…)`. A source belongs to this runtime: it is closed with it, and when it cannot start. */
  readonly tools?: readonly (Tool | ToolSource)[]
  /** System prompt of every turn; trusted. */
  readonly system?: string
  /** Name of the tool by which the model asks the acting person, where there is one. Default `ask_user`. */
  readonly ask?: string
  /** Default: allow, and leave it to scopes and approval rules. */
  readonly policy?: Policy
  readonly limits?: LimitOptions
  /** What the provider may execute inside a round. Default: nothing (F1). */
  readonly providerTools?: readonly ProviderTool[]
  readonly redact?: RedactOptions
  /** 32 bytes, or their base64: seals arguments that redaction masks, so that such calls may wait and recover (D11). */
  readonly key?: Uint8Array | string
  /**
   * Keeps results that are larger than a record whole, up to `limits.blobBytes` (D9): `'store'` beside the streams, or
   * `folderBlobs(folder)`. All workers of a name need the same. Default: nowhere; the model is shown the beginning of such a result.
   */
  readonly blobs?: Blobs | 'store'
  /** False: spawns, reads and resolves, and runs nothing (a web process). */
  readonly drive?: boolean
  /** Turns driven at once. */
  readonly concurrency?: number
  readonly log?: Log
}

/**
 * Opens store and bus and starts a runtime.
 *
 * @throws ToolturnError `option_invalid`, `tool_name_duplicate`, `replay_policy_missing`, and what the store gives: `store_unreachable`,
 *   `store_locked`, `schema_unmigrated`, `schema_newer`
 */
export async function createRuntime(options: HostOptions): Promise<Runtime> {
  const checked = withPlaces(readHost(options))
  return openRuntime(checked).catch(async (error: unknown) => {
    await Promise.allSettled(checked.sources.map(source => source.close()))
    throw error
  })
}

async function openRuntime(checked: Checked): Promise<Runtime> {
  const { log } = checked
  const store = await checked.store.open(log)
  const bus = await checked.bus.open(log).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  return startOver(checked, store, bus).catch(async (error: unknown) => {
    await bus.close()
    await store.close()
    throw error
  })
}

type Checked = ReturnType<typeof withPlaces>

/** Where nothing is named, both are in this process and gone with it. */
function withPlaces(checked: ReturnType<typeof readHost>) {
  const { store, bus } = checked
  return { ...checked, store: store ?? memory(), bus: bus ?? memoryBus(memoryBroker({ clock: systemClock })) }
}

async function startOver(checked: Checked, store: Store, bus: Bus): Promise<Runtime> {
  const { log, drive, concurrency, name } = checked
  const common = { store, bus, clock: systemClock, log }
  const publishes = drive && checked.bus.kind !== 'none'
  // What only this process heard is not published for good: a broker that is named later is to be told of it.
  const forGood = checked.bus.kind !== 'memory' || checked.store.kind === 'memory'
  const outbox = publishes ? publisher({ ...common, store: forGood ? store : { ...store, acknowledge: async () => {} } }) : null
  const relaying = publishes && forGood ? relay(common, systemRandom.workerId()) : null
  const catalog = liveCatalog(checked.tools, checked.sources, log)
  const ports: Ports = {
    ...common,
    outbox: outbox === null ? noOutbox : forGood ? outbox : { ...outbox, published: () => 0 },
    model: checked.model,
    tools: catalog.tools,
    policy: boundedPolicy(checked.policy, systemClock, log),
    redactor: checked.redactor,
    sealer: checked.sealer,
    blobs: checked.blobs === 'store' ? store.blobs : checked.blobs,
    random: systemRandom,
  }
  return createRuntimeOver(ports, {
    runtime: name,
    system: checked.system,
    ask: checked.ask,
    limits: checked.limits,
    providerTools: checked.providerTools,
    drive,
    concurrency,
    serves: catalog.serves,
    configured: () => ({ runtime: name, drive, concurrency, model: checked.model?.name ?? null, tools: [...catalog.tools.keys()] }),
    subscribe: (wanted, handler) =>
      subscribe({ ...common, random: systemRandom }, { from: 'new', ...wanted }, async event => handler(event as Event)),
    onProgress: ({ tenant, turnId, ...delta }) => {
      bus.progress(progressSubject(tenant, turnId), Buffer.from(JSON.stringify({ turnId, ...delta }), 'utf8'))
    },
    onReplayed: event => {
      bus.publish(eventMessage(event, {}, 'replays')).catch(() => log.warn('a replayed record could not be told', { turnId: event.turnId }))
    },
    release: async () => {
      await catalog.close()
      await relaying?.close()
      await outbox?.close()
      await bus.close()
      await store.close()
    },
  })
}
