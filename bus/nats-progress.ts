// Progress on NATS: core messages, sent and forgotten, heard live by whoever listens.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Subscription } from '../machines/ports/bus.ts'
import type { Log } from '../machines/ports/world.ts'
import { unthrowing, type Hear } from './delivery.ts'
import type { Link, Session } from './nats-link.ts'

/** Between the end of a connection and the look for the next one. */
const REST_MS = 100

/** Sends it if it can be sent now. */
export function sendProgress(link: Link, subject: string, body: Uint8Array): void {
  try {
    link.session()?.connection.publish(subject, body)
  } catch {
    // Closed just now, or too large for the broker: progress is sent and forgotten.
  }
}

/** Resolves when the broker knows of it, or at once while the broker is away: it is heard when it comes. */
export async function hearProgress(link: Link, subject: string, hear: Hear, log: Log): Promise<Subscription> {
  const closing = new AbortController()
  const attached = Promise.withResolvers<void>()
  if (link.session() === null) attached.resolve()
  void follow(link, subject, unthrowing(hear, log), closing.signal, attached.resolve)
  await attached.promise
  return { close: async () => closing.abort() }
}

/** The client brings a subscription back over its own reconnects; a connection that is new gets a new one. */
async function follow(link: Link, subject: string, hear: Hear, signal: AbortSignal, attached: () => void): Promise<void> {
  for (let session = await link.whenUp(signal); session !== null; session = await link.whenUp(signal)) {
    await listen(session, subject, hear, signal, attached)
    await sleep(REST_MS, undefined, { signal }).catch(() => {
      /* closing: over at once */
    })
  }
  attached()
}

async function listen({ connection }: Session, subject: string, hear: Hear, signal: AbortSignal, attached: () => void): Promise<void> {
  const closed = connection.closed()
  if (connection.isClosed()) return
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) hear(message.subject, message.data)
    },
  })
  const stop = () => subscription.unsubscribe()
  signal.addEventListener('abort', stop)
  await connection.flush().catch(() => {
    /* lost meanwhile: the client subscribes again when it is back */
  })
  attached()
  await Promise.race([subscription.closed, closed])
  signal.removeEventListener('abort', stop)
}
