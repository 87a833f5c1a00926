// The floor of a run: the same rows written by the same grouped statement, with no runtime around it.

import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { chain, GENESIS } from '../../machines/chain.ts'
import type { Fact, StoredEvent } from '../../machines/events.ts'
import type { Append, OpenTurn, Store } from '../../machines/ports/store.ts'

/** The writes of one turn, in order. */
export type TurnWrites = { readonly open: OpenTurn; readonly appends: Append[] }

/** A store that also keeps the writes of the turns that go through it, and how long each took (milliseconds). */
export function recordingStore(store: Store): {
  readonly store: Store
  readonly writes: Map<string, TurnWrites>
  readonly waits: number[]
} {
  const writes = new Map<string, TurnWrites>()
  const waits: number[] = []
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const start = performance.now()
    const answer = await work
    waits.push(performance.now() - start)
    return answer
  }
  const recording: Store = {
    ...store,
    open: open => {
      writes.set(open.turnId, { open, appends: [] })
      return timed(store.open(open))
    },
    append: append => {
      writes.get(append.turnId)?.appends.push(append)
      return timed(store.append(append))
    },
  }
  return { store: recording, writes, waits }
}

/** The same writes for a new turn: everything that can be made ready beforehand is. */
export function sameWrites({ open, appends }: TurnWrites, worker: string): TurnWrites {
  const turnId = uuidv7()
  let head = { version: 0, hash: GENESIS }
  const rechain = (events: readonly StoredEvent[]): StoredEvent[] => {
    const rechained = events.flatMap(event => {
      const { tenant, time, actor, worked } = event
      const [linked] = chain(head, [event as unknown as Fact], { turnId, tenant, time, actor, worked }, () =>
        randomBytes(16).toString('hex'),
      )
      if (linked === undefined) return []
      head = { version: linked.version, hash: linked.hash }
      return [linked]
    })
    return rechained
  }
  return {
    open: { ...open, turnId, key: null, owner: worker, events: rechain(open.events) },
    appends: appends.map(append => {
      const before = head
      return { ...append, turnId, expected: before.version, head: before.hash, events: rechain(append.events) }
    }),
  }
}

/** Writes a turn, one append after the other, as a plain loop would. */
export async function write(store: Store, { open, appends }: TurnWrites): Promise<void> {
  await store.open(open)
  for (const append of appends) {
    const { answer } = await store.append(append)
    if (answer !== 'accepted') throw new Error(`the floor's append was ${answer}`)
  }
}
