// The bus as one process reaches it, and what must hold of everything that is published on it.

import { readMessage } from '../../bus/message.ts'
import type { Bus, BusMessage } from '../../machines/ports/bus.ts'
import type { Process } from './process.ts'
import { shortName, type Stage } from './stage.ts'

export function busPort(stage: Stage, process: Process, bus: Bus): Bus {
  const { line, life } = process
  const chance = stage.chance.part(`copies/${process.name}`)
  let copies = 0
  return {
    ...bus,
    publish: message =>
      line('publish', () => {
        for (const rule of brokenMessage(stage, message)) stage.broken(`${message.id}: ${rule}`)
        if (!stage.isCalm() && chance.hit(stage.plan.copies))
          void publishAgain(bus, { ...message, id: `${message.id}${COPY}${(copies += 1)}` })
        return bus.publish(message)
      }),
    consume: (name, options, handler) =>
      line('consume', () =>
        bus.consume(name, options, async delivery => {
          await life.running()
          return handler(delivery)
        }),
      ),
  }
}

/** Marks the id of a copy that the broker takes for a new message, as it does when its memory of ids is over. */
const COPY = '~'

function publishAgain(bus: Bus, message: BusMessage): Promise<void> {
  return bus.publish(message).catch(() => undefined)
}

/** Nothing is told that is not committed as it is told. */
function brokenMessage(stage: Stage, message: BusMessage): readonly string[] {
  if (!message.subject.startsWith('turns.')) return []
  const received = readMessage(message.body)
  if (received.kind !== 'event') return ['a message is published that is no event']
  const { turnId, version, hash, type, tenant } = received.event
  const committed = stage.records.of(turnId)?.events[version - 1]
  return [
    committed === undefined && 'an event is published that is not committed',
    committed !== undefined && committed.hash !== hash && 'an event is published that was not committed so',
    message.subject !== `turns.${tenant}.${turnId}.${type}` && 'an event is published on another subject',
  ].filter(broken => broken !== false)
}

/** First copies arrive in order, and in the end all are there. @param all false while some may still be on their way */
export function brokenBroker(stage: Stage, all: boolean): readonly string[] {
  const seen = new Map<string, number>()
  const broken: string[] = []
  for (const { id } of stage.broker.kept('turns')) {
    if (id.includes(COPY)) continue
    const [turnId = '', version = ''] = id.split(':')
    const last = seen.get(turnId) ?? 0
    if (Number(version) !== last + 1)
      broken.push(`${shortName(turnId)}: the first copy of version ${version} comes right behind version ${last}`)
    seen.set(turnId, Math.max(last, Number(version)))
  }
  for (const { turnId, events } of all ? stage.records.all() : []) {
    const last = seen.get(turnId) ?? 0
    if (last < events.length) broken.push(`${shortName(turnId)}: version ${last + 1} of ${events.length} is never published`)
  }
  return broken
}
