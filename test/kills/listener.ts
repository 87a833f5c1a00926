// Somebody who listens to the bus from the start, and writes down which versions of which turn it was told, in order.

import { createRuntime } from '../../adapters/host.ts'
import { busAt, storeAt, type Address } from './room.ts'

/** Versions of a turn, as they came. */
export type Listener = (turnId: string) => readonly number[]

export async function listenAt(address: Address, leaving: AsyncDisposableStack): Promise<Listener> {
  const runtime = await createRuntime({ drive: false, store: storeAt(address), bus: busAt(address) })
  leaving.defer(() => runtime.close())
  const told = new Map<string, number[]>()
  const subscription = await runtime.subscribe({ name: 'listener', from: 'start' }, ({ turnId, version }) => {
    told.set(turnId, [...(told.get(turnId) ?? []), version])
  })
  leaving.defer(subscription.close)
  return turnId => told.get(turnId) ?? []
}
