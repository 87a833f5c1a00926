// The bus on NATS JetStream: publishes with acknowledgement, durable consumers, and core messages for progress.

import { setTimeout as sleep } from 'node:timers/promises'
import { errors, headers as newHeaders, type NatsConnection } from '@nats-io/transport-node'
import { ToolturnError } from '../machines/errors.ts'
import type { Bus, BusHealth, BusMessage, Subscription } from '../machines/ports/bus.ts'
import type { Log } from '../machines/ports/world.ts'
import { nameOf } from './delivery.ts'
import { fitted } from './message.ts'
import { consumeNats } from './nats-consume.ts'
import { readDial, type Dial } from './nats-dial.ts'
import { natsLink, type Link, type Session } from './nats-link.ts'
import { brokerNames, type BrokerNames } from './nats-prefix.ts'
import { hearProgress, sendProgress } from './nats-progress.ts'
import type { BusSource } from './source.ts'
import { consumerName, keptSpaceOf } from './subjects.ts'

export type NatsOptions = {
  /** Names this installation on a shared broker. Default `turns`: subjects `turns.…`, stream `TURNS`. */
  readonly prefix?: string
  /** Milliseconds after which an unanswered message is given to another reader. Default 30,000. */
  readonly ackWaitMs?: number
}

/** An acknowledgement that has not come by then is taken for lost; the message goes out again under the same id. */
const PUBLISH_MS = 5000
/** How long opening waits for the first attempt to come to something. */
const OPEN_MS = 2000
const HEALTH_MS = 2000

/**
 * The bus on NATS, for `createRuntime({ bus: nats('nats://…') })`. An absent broker is no error: publishes reject until it is
 * there, consumers attach when it comes.
 *
 * @param servers one URL, several, or a connection of your own, which is used and never closed
 * @throws ToolturnError `option_invalid` for an URL or a prefix that is none
 */
export function nats(servers: string | readonly string[] | NatsConnection, options: NatsOptions = {}): BusSource {
  const dial = readDial(servers)
  const names = brokerNames(options.prefix ?? 'turns')
  return { kind: 'nats', open: log => open(dial, names, options, log) }
}

async function open(dial: Dial, names: BrokerNames, { ackWaitMs = 30_000 }: NatsOptions, log: Log): Promise<Bus> {
  const link = natsLink(dial, names, log)
  const subscriptions = new Set<Subscription>()
  const tracked = async (subscription: Promise<Subscription>): Promise<Subscription> => {
    const made = await subscription
    subscriptions.add(made)
    return { close: () => (subscriptions.delete(made) ? made.close() : Promise.resolve()) }
  }
  await Promise.race([link.tried, sleep(OPEN_MS, undefined, { ref: false })])
  return {
    publish: natsPublisher(link, names),
    progress: (subject, body) => sendProgress(link, names.outward(subject), body),
    consume: async (name, { subject, from }, handler) => {
      const space = keptSpaceOf(subject)
      const durable = { stream: names.stream[space], name: consumerName(name), subject: names.outward(subject), ackWaitMs }
      return tracked(consumeNats({ link, space, durable, from, handler, inward: names.inward, log }))
    },
    onProgress: (subject, hear) => {
      const inward = (outer: string, body: Uint8Array) => hear(names.inward(outer), body)
      return tracked(hearProgress(link, names.outward(subject), inward, log))
    },
    health: () => health(link, dial, names),
    close: async () => {
      await Promise.all([...subscriptions].map(subscription => subscription.close()))
      await link.close()
    },
  }
}

/** Publishes whose acknowledgement is awaited are told at once when the connection is lost: nothing waits for a broker to come back. */
function natsPublisher(link: Link, names: BrokerNames): Bus['publish'] {
  const waiting = new Set<(why: string) => void>()
  link.onDown(() => {
    for (const lose of waiting) lose('the connection was lost')
  })
  return message =>
    new Promise((resolve, reject) => {
      const lose = (why: string, cause?: unknown) => {
        waiting.delete(lose)
        reject(new ToolturnError('bus_unreachable', '', { id: message.id, why }, cause))
      }
      const space = keptSpaceOf(message.subject)
      const session = link.session()
      if (session === null) return lose('not connected')
      waiting.add(lose)
      session
        .streamOf(space)
        .then(() => send(session, names, message))
        .then(
          () => {
            waiting.delete(lose)
            resolve()
          },
          (error: unknown) => {
            if (nobodyListens(error)) link.mend()
            lose(nameOf(error), error)
          },
        )
    })
}

/** No stream takes the subject: it was deleted, or the broker lost it. */
function nobodyListens(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof errors.RequestError && cause.isNoResponders()
}

/** Resolves on acknowledgement. A duplicate is one: the broker has the message. */
async function send({ connection, js }: Session, names: BrokerNames, message: BusMessage): Promise<void> {
  const subject = names.outward(message.subject)
  const { headers, body, id } = fitted(message, connection.info?.max_payload ?? Number.MAX_SAFE_INTEGER)
  const wire = newHeaders()
  for (const [name, value] of Object.entries(headers)) wire.set(name, value)
  await js.publish(subject, body, { msgID: id, headers: wire, timeout: PUBLISH_MS })
}

async function health(link: Link, dial: Dial, names: BrokerNames): Promise<BusHealth> {
  const session = link.session()
  const asked = dial.kind === 'own' ? dial.servers.join(',') : 'a connection of the host'
  const info =
    session === null
      ? null
      : await Promise.race([session.manager.streams.info(names.stream.turns).catch(() => null), sleep(HEALTH_MS, null, { ref: false })])
  const server = session === null ? asked : `nats://${session.connection.getServer()}`
  return { kind: 'nats', server, reachable: info !== null, messages: info?.state.messages ?? 0 }
}
