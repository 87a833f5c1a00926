// The messages that a memory broker keeps of one space, by position from 0, with the ids that it has seen.

import type { BusMessage } from '../machines/ports/bus.ts'

export type MemoryLog = {
  /** False: a message of this id is kept already. */
  readonly add: (message: BusMessage) => boolean
  /** Undefined where nothing is kept (any more). */
  readonly at: (position: number) => BusMessage | undefined
  readonly first: () => number
  /** Position that the next message gets. */
  readonly end: () => number
  readonly kept: () => readonly BusMessage[]
}

/** @param most as many messages are kept; the oldest go first, and their ids with them */
export function memoryLog(most: number): MemoryLog {
  const messages: BusMessage[] = []
  const ids = new Set<string>()
  let first = 0
  const trim = () => {
    const dropped = messages.splice(0, messages.length - most)
    for (const { id } of dropped) ids.delete(id)
    first += dropped.length
  }
  return {
    add: message => {
      if (ids.has(message.id)) return false
      ids.add(message.id)
      messages.push(message)
      // A quarter too many before the oldest go: a splice moves all the others.
      if (messages.length > most * 1.25) trim()
      return true
    },
    at: position => messages[position - first],
    first: () => first,
    end: () => first + messages.length,
    kept: () => messages,
  }
}
