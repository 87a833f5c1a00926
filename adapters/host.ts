// The composition root: a host's options made into ports, and a runtime over them. The one place that knows every layer.

import { Buffer } from 'node:buffer'
import { subscribe } from '../bus/consumer.ts'
import { eventMessage } from '../bus/message.ts'
import { noOutbox } from '../bus/none.ts'
import { publisher } from '../bus/publisher.ts'
import { relay } from '../bus/relay.ts'
import { progressSubject } from '../bus/subjects.ts'
import type { Event } from '../machines/events.ts'
import type { Ports } from '../machines/ports.ts'
import type { Bus } from '../machines/ports/bus.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Runtime } from '../machines/runtime/api.ts'
import { createRuntimeOver } from '../machines/runtime/runtime.ts'
import { systemClock, systemRandom } from './clock.ts'
import { readHost, type HostOptions } from './host-options.ts'
import { boundedPolicy } from './policy.ts'

/**
 * Opens store and bus and starts a runtime.
 *
 * @throws ToolturnError `option_invalid`, `tool_name_duplicate`, `replay_policy_missing`, and what the store gives: `store_unreachable`,
 *   `store_locked`, `schema_unmigrated`, `schema_newer`
 */
export async function createRuntime(options: HostOptions): Promise<Runtime> {
  const checked = readHost(options)
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

type Checked = ReturnType<typeof readHost>

async function startOver(checked: Checked, store: Store, bus: Bus): Promise<Runtime> {
  const { log, drive, concurrency, name } = checked
  const common = { store, bus, clock: systemClock, log }
  const publishes = drive && checked.bus.kind !== 'none'
  // What only this process heard is not published for good: a broker that is named later is to be told of it.
  const forGood = checked.bus.kind !== 'memory' || checked.store.kind === 'memory'
  const outbox = publishes ? publisher({ ...common, store: forGood ? store : { ...store, acknowledge: async () => {} } }) : null
  const relaying = publishes && forGood ? relay(common, systemRandom.workerId()) : null
  const ports: Ports = {
    ...common,
    outbox: outbox === null ? noOutbox : forGood ? outbox : { ...outbox, published: () => 0 },
    model: checked.model,
    tools: checked.tools,
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
    configured: { runtime: name, drive, concurrency, model: checked.model?.name ?? null, tools: [...checked.tools.keys()] },
    subscribe: (wanted, handler) => subscribe({ ...common, random: systemRandom }, { from: 'new', ...wanted }, async event => handler(event as Event)),
    onProgress: ({ tenant, turnId, ...delta }) => {
      bus.progress(progressSubject(tenant, turnId), Buffer.from(JSON.stringify({ turnId, ...delta }), 'utf8'))
    },
    onReplayed: event => {
      bus.publish(eventMessage(event, {}, 'replays')).catch(() => log.warn('a replayed record could not be told', { turnId: event.turnId }))
    },
    release: async () => {
      await relaying?.close()
      await outbox?.close()
      await bus.close()
      await store.close()
    },
  })
}

