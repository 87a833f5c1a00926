// A durable consumer of a memory broker: where it stands, what it handed out, what it hands out again.

import type { Clock, Log } from '../machines/ports/world.ts'
import { hand, type Answers, type Handler } from './delivery.ts'
import type { MemoryLog } from './memory-log.ts'
import { subjectMatches } from './subjects.ts'

/** As many messages may be out unanswered, over all readers of one consumer. */
const MOST_OUT = 512

export type Reader = { readonly handler: Handler; readonly log: Log }

export type MemoryDurable = {
  /** Takes over a new filter for what was not looked at yet. */
  readonly filter: (subject: string) => void
  /** @returns what detaches the reader again */
  readonly attach: (reader: Reader) => () => void
  /** Hands out what it can. */
  readonly pump: () => void
  /** Everything that is out, or rests after a refusal, is due again. */
  readonly redeliver: () => void
}

export type DurableOptions = {
  readonly log: MemoryLog
  readonly subject: string
  readonly from: 'new' | 'start'
  /** Null: no ack wait and no end of a rest; `redeliver` is the only way back. */
  readonly clock: Clock | null
  readonly ackWaitMs: number
  /** False while the broker is out: nothing is handed out, and answers get lost. */
  readonly reachable: () => boolean
}

/** A message that is out or rests. It is due again when its timer ends; aborting the timer keeps it where it is. */
type Out = { readonly position: number; timer: AbortController }

type State = DurableOptions & {
  subject: string
  /** Position that is looked at next. */
  next: number
  /** Deliveries so far: readers take turns. */
  delivered: number
  readonly readers: Reader[]
  readonly out: Map<number, Out>
  /** Positions that are due again, before anything new. */
  readonly again: number[]
  /** Deliveries of what is not acknowledged yet, by position. */
  readonly counts: Map<number, number>
}

export function memoryDurable(options: DurableOptions): MemoryDurable {
  const { log, from } = options
  const state: State = {
    ...options,
    next: from === 'new' ? log.end() : log.first(),
    delivered: 0,
    readers: [],
    out: new Map(),
    again: [],
    counts: new Map(),
  }
  return {
    filter: subject => void (state.subject = subject),
    attach: reader => {
      state.readers.push(reader)
      pump(state)
      return () => void state.readers.splice(state.readers.indexOf(reader), 1)
    },
    pump: () => pump(state),
    redeliver: () => {
      for (const { timer } of state.out.values()) timer.abort()
      state.again.push(...[...state.out.keys()].sort((a, b) => a - b))
      state.out.clear()
      pump(state)
    },
  }
}

function pump(state: State): void {
  while (state.reachable() && state.readers.length > 0 && state.out.size < MOST_OUT) {
    const position = state.again.shift() ?? nextPosition(state)
    if (position === null) return
    handOut(state, position)
  }
}

function nextPosition(state: State): number | null {
  const { log, subject } = state
  for (state.next = Math.max(state.next, log.first()); state.next < log.end(); state.next += 1) {
    const message = log.at(state.next)
    if (message !== undefined && subjectMatches(subject, message.subject)) return state.next++
  }
  return null
}

function handOut(state: State, position: number): void {
  const message = state.log.at(position)
  if (message === undefined) return void state.counts.delete(position) // gone with the oldest
  const count = (state.counts.get(position) ?? 0) + 1
  state.counts.set(position, count)
  const held: Out = { position, timer: new AbortController() }
  state.out.set(position, held)
  dueAfter(state, held, state.ackWaitMs)
  const reader = state.readers[state.delivered++ % state.readers.length] as Reader
  const { subject, headers, body } = message
  queueMicrotask(() => void hand({ subject, headers, body, count }, answersOf(state, held), reader.handler, reader.log))
}

/** Makes a message due again after a while; a later call takes the place of the earlier one. */
function dueAfter(state: State, held: Out, ms: number): void {
  held.timer.abort()
  held.timer = new AbortController()
  const { signal } = held.timer
  void state.clock?.sleep(ms, signal).then(() => {
    if (signal.aborted) return
    state.out.delete(held.position)
    state.again.push(held.position)
    pump(state)
  })
}

/** Answers during an outage get lost. A late `ack` settles a message that is out again; other late answers say nothing of that. */
function answersOf(state: State, held: Out): Answers {
  const { position } = held
  const restAnew = (ms: number) => {
    if (state.reachable() && state.out.get(position) === held) dueAfter(state, held, ms)
  }
  return {
    ack: () => {
      if (!state.reachable()) return
      state.out.get(position)?.timer.abort()
      state.out.delete(position)
      state.counts.delete(position)
      const due = state.again.indexOf(position)
      if (due !== -1) state.again.splice(due, 1)
      pump(state)
    },
    nak: restAnew,
    working: () => restAnew(state.ackWaitMs),
  }
}
