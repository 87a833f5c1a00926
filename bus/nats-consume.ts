// A durable consumer on NATS: attached whenever the broker is there, made again when the broker lost it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import type { Subscription } from '../machines/ports/bus.ts'
import type { Log } from '../machines/ports/world.ts'
import { backoffMs } from './backoff.ts'
import { hand, nameOf, type Handler } from './delivery.ts'
import type { Link, Session } from './nats-link.ts'
import { ensureDurable, type Beginning, type Durable } from './nats-streams.ts'

/** Messages asked for at a time. They go to the handler as they arrive: none ages in a queue of ours. */
const BATCH = 64
/** A request for messages stands so long; half of it without a sign of life from the broker is looked into. */
const REQUEST_MS = 6000
const FIRST_REST_MS = 100
const MOST_REST_MS = 5000

export type Reading = {
  readonly link: Link
  readonly space: 'turns' | 'replays'
  readonly durable: Durable
  readonly from: 'new' | 'start'
  readonly handler: Handler
  /** The broker's subject as the rest of the program knows it. */
  readonly inward: (subject: string) => string
  readonly log: Log
}

/** Resolves when the broker has the consumer, or at once while the broker is away: it is attached when it comes. */
export async function consumeNats(reading: Reading): Promise<Subscription> {
  const closing = new AbortController()
  const attached = Promise.withResolvers<void>()
  const ended = follow(reading, closing.signal, attached.resolve)
  if (reading.link.session() !== null) await Promise.race([attached.promise, ended])
  return {
    close: async () => {
      closing.abort()
      await ended
    },
  }
}

async function follow(reading: Reading, signal: AbortSignal, attached: () => void): Promise<void> {
  const { link, durable, log } = reading
  let beginning: Beginning = link.session() === null && reading.from === 'new' ? new Date() : reading.from
  for (let failures = 1; !signal.aborted; failures += 1) {
    const session = await link.whenUp(signal)
    if (session === null) return
    try {
      await session.streamOf(reading.space)
      await ensureDurable(session.manager, durable, beginning)
      // What a broker that lost the consumer has kept may or may not have been seen: all of it is due.
      beginning = 'start'
      failures = 0
      await read(session, reading, signal, attached)
    } catch (error) {
      log.warn('A consumer was lost and is attached again.', { consumer: durable.name, error: nameOf(error) })
      attached()
    }
    await sleep(backoffMs(failures + 1, FIRST_REST_MS, MOST_REST_MS), undefined, { signal }).catch(() => {
      /* closing: over at once */
    })
  }
}

/** Until the connection ends for good, the consumer is gone, or the signal. Outages in between are the client's to mend. */
async function read(session: Session, reading: Reading, signal: AbortSignal, attached: () => void): Promise<void> {
  const { stream, name } = reading.durable
  const consumer = await session.js.consumers.get(stream, name)
  const messages = await consumer.consume({ max_messages: BATCH, expires: REQUEST_MS, abort_on_missing_resource: true })
  const stop = () => void messages.close()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  attached()
  try {
    for await (const message of messages) void handOver(message, reading)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function handOver(message: JsMsg, { handler, inward, log }: Reading): Promise<void> {
  const delivery = {
    subject: inward(message.subject),
    headers: plainHeaders(message.headers),
    body: message.data,
    count: message.info.deliveryCount,
  }
  const answers = {
    ack: () => answer(() => message.ack()),
    nak: (delayMs: number) => answer(() => message.nak(delayMs)),
    working: () => answer(() => message.working()),
  }
  return hand(delivery, answers, handler, log)
}

function answer(give: () => void): void {
  try {
    give()
  } catch {
    // The connection is closed: the broker hears nothing and gives the message again.
  }
}

function plainHeaders(headers: MsgHdrs | undefined): { readonly [name: string]: string } {
  return Object.fromEntries((headers?.keys() ?? []).map(name => [name, headers?.get(name) ?? '']))
}
