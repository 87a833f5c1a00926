// Somebody who listens to the bus from the start, and writes down which versions of which turn it was told, in order.

import { createRuntime } from '../../adapters/host.ts'
import { busAt, storeAt, type Address } from '../../adapters/scenario/places.ts'

export type Listener = {
  /** Versions of a turn, as they came. */
  readonly told: (turnId: string) => readonly number[]
  readonly close: () => Promise<void>
}

export async function listenAt(address: Address): Promise<Listener> {
  const runtime = await createRuntime({ drive: false, store: storeAt(address), bus: busAt(address) })
  const told = new Map<string, number[]>()
  const subscription = await runtime.subscribe({ name: 'listener', from: 'start' }, ({ turnId, version }) => {
    told.set(turnId, [...(told.get(turnId) ?? []), version])
  })
  return {
    told: turnId => told.get(turnId) ?? [],
    close: async () => {
      await subscription.close()
      await runtime.close()
    },
  }
}
