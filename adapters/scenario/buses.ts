// The bus of a worker, as a scenario wants it: one that keeps a copy of what is sent, or one that nothing reaches.

import { ToolturnError } from '../../machines/errors.ts'
import type { Bus, BusMessage } from '../../machines/ports/bus.ts'
import type { HostOptions } from '../host.ts'
import type { Activity } from './activity.ts'
import type { Ledger } from './ledger.ts'

type BusSource = NonNullable<HostOptions['bus']>

/** A bus of which it is written down what was sent to it. */
export function copiedBus(source: BusSource, ledger: Ledger, activity: Activity): BusSource {
  return {
    kind: source.kind,
    open: async log => {
      const bus = await source.open(log)
      return {
        ...bus,
        publish: async message => {
          ledger.add({ kind: 'message', text: textOf(message) })
          await activity.during(() => bus.publish(message))
        },
      }
    },
  }
}

function textOf({ subject, headers, body }: BusMessage): string {
  return JSON.stringify({ subject, headers, body: new TextDecoder().decode(body) })
}

export function brokenBus(): BusSource {
  const unreachable = async () => {
    throw new ToolturnError('bus_unreachable', 'The scenario says that the bus is down.')
  }
  const bus: Bus = {
    publish: unreachable,
    progress: () => undefined,
    consume: unreachable,
    onProgress: unreachable,
    health: async () => ({ kind: 'memory', server: 'memory:', reachable: false, messages: 0 }),
    close: async () => undefined,
  }
  return { kind: 'memory', open: async () => bus }
}
