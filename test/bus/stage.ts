// A stage for one test of a bus: a broker, handles on it, and a handler that keeps what it is given.

import { onTestFinished } from 'vitest'
import { eventMessage, readMessage } from '../../bus/message.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { Bus, Delivery } from '../../machines/ports/bus.ts'

/** One broker of a test, and the limits that the suite needs to know. */
export type BrokerUnderTest = {
  /** Another handle, as another process has it. */
  readonly open: () => Promise<Bus>
  /** Bytes that a message may have. */
  readonly maxPayload: number
}

/** @returns a broker that nothing was published on. @param ackWaitMs after which an unanswered message comes again */
export type Make = (ackWaitMs: number) => Promise<BrokerUnderTest>

const LONG_MS = 30_000

/** A broker with one handle, which is closed when the test is done. */
export async function begin(make: Make, ackWaitMs = LONG_MS) {
  const broker = await make(ackWaitMs)
  const another = async () => {
    const bus = await broker.open()
    onTestFinished(() => bus.close())
    return bus
  }
  return { broker, another, bus: await another() }
}

export const publishAll = async (bus: Bus, events: readonly StoredEvent[]) => {
  for (const event of events) await bus.publish(eventMessage(event, { conversation: 'c-1' }))
}

/** Everything that a consumer is given, and a handler that keeps and acknowledges it. */
export function keeping(answer: (delivery: Delivery) => void = delivery => delivery.ack()) {
  const kept: Delivery[] = []
  const handler = async (delivery: Delivery) => {
    kept.push(delivery)
    answer(delivery)
  }
  const versions = () => kept.map(({ body }) => versionOf(body))
  return { kept, handler, versions }
}

export function versionOf(body: Uint8Array): number {
  const received = readMessage(body)
  return received.kind === 'foreign' ? 0 : received.kind === 'event' ? received.event.version : received.version
}
