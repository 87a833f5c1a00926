// A durable consumer of a memory broker: where it stands, what it handed out, what it hands out again.

import type { Clock, Log } from '../machines/ports/world.ts'
import { hand, type Handler } from './delivery.ts'
import type { MemoryLog } from './memory-log.ts'
import { subjectMatches } from './subjects.ts'

/** As many messages may be out unanswered, over all readers of one consumer. */
const MOST_OUT = 512

export type Reader = { readonly handler: Handler; readonly log: Log }

export type MemoryDurable = {
  readonly filter: (subject: string) => void
  readonly attach: (reader: Reader) => () => void
  /** Hands out what it can. */
  readonly pump: () => void
  /** Everything that is out, or rests after a nak, is due again. */
  readonly redeliver: () => void
}

export type DurableOptions = {
  readonly log: MemoryLog
  readonly subject: string
  readonly from: 'new' | 'start'
  /** Null: no ack wait and no rest after a nak; `redeliver` is the only way back. */
  readonly clock: Clock | null
  readonly ackWaitMs: number
  /** False while the broker is out: nothing is handed out, and answers get lost. */
  readonly reachable: () => boolean
}

/** A message that is out or rests. Its timer runs until the controller is aborted. */
type Out = { readonly position: number; timer: AbortController }

export function memoryDurable(options: DurableOptions): MemoryDurable {
  const { log, clock, ackWaitMs, reachable } = options
  let subject = options.subject
  let next = options.from === 'new' ? log.end() : log.first()
  let turn = 0
  const readers: Reader[] = []
  const out = new Map<number, Out>()
  const again: number[] = []
  const counts = new Map<number, number>()

  const pump = () => {
    while (reachable() && readers.length > 0 && out.size < MOST_OUT) {
      const position = again.shift() ?? nextPosition()
      if (position === null) return
      handOut(position)
    }
  }

  const nextPosition = (): number | null => {
    for (next = Math.max(next, log.first()); next < log.end(); next += 1) {
      const message = log.at(next)
      if (message !== undefined && subjectMatches(subject, message.subject)) return next++
    }
    return null
  }

  const handOut = (position: number) => {
    const message = log.at(position)
    if (message === undefined) return void counts.delete(position) // gone with the oldest
    const count = (counts.get(position) ?? 0) + 1
    counts.set(position, count)
    const held: Out = { position, timer: new AbortController() }
    out.set(position, held)
    dueAgainAfter(held, ackWaitMs)
    const reader = readers[turn++ % readers.length] as Reader
    const { headers, body } = message
    queueMicrotask(() => void hand({ subject: message.subject, headers, body, count }, answersOf(held), reader.handler, reader.log))
  }

  /** Makes a message due after a while; a later call takes the place of the earlier one. */
  const dueAgainAfter = (held: Out, ms: number) => {
    held.timer.abort()
    held.timer = new AbortController()
    const { signal } = held.timer
    void clock?.sleep(ms, signal).then(() => {
      if (signal.aborted || out.get(held.position) !== held) return
      out.delete(held.position)
      again.push(held.position)
      pump()
    })
  }

  /** Answers during an outage get lost. A late `ack` settles a message that is out again; a late `nak` says nothing of that. */
  const answersOf = (held: Out) => ({
    ack: () => {
      if (!reachable()) return
      out.get(held.position)?.timer.abort()
      out.delete(held.position)
      counts.delete(held.position)
      const due = again.indexOf(held.position)
      if (due !== -1) again.splice(due, 1)
      pump()
    },
    nak: (delayMs: number) => {
      if (reachable() && out.get(held.position) === held) dueAgainAfter(held, delayMs)
    },
    working: () => {
      if (reachable() && out.get(held.position) === held) dueAgainAfter(held, ackWaitMs)
    },
  })

  return {
    filter: wanted => void (subject = wanted),
    attach: reader => {
      readers.push(reader)
      pump()
      return () => void readers.splice(readers.indexOf(reader), 1)
    },
    pump,
    redeliver: () => {
      for (const held of out.values()) held.timer.abort()
      again.push(...[...out.keys()].sort((a, b) => a - b))
      out.clear()
      pump()
    },
  }
}
