// What tests of the bus stand on: real time, a log that is kept, turns with honest times, and waiting for a condition.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuid } from 'uuid'
import { chain, GENESIS } from '../../machines/chain.ts'
import type { Fact, StoredEvent } from '../../machines/events.ts'
import { isoTime } from '../../machines/time.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Clock, Log } from '../../machines/ports/world.ts'
import { appendAt, newTurn, roundFailed, turnCompleted } from '../ports/streams.ts'

export const clock: Clock = {
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(() => {}),
}

export const random = { workerId: () => `worker-${randomUUID()}` }

export const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** A log that keeps its lines. */
export function keptLog(): Log & { readonly lines: readonly string[] } {
  const lines: string[] = []
  const keep = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`)
  return { info: keep, warn: keep, error: keep, lines }
}

/** Waits until something is so. @throws Error with what was wanted, when it does not come */
export async function until(wanted: string, holds: () => boolean | Promise<boolean>, mostMs = 30_000): Promise<void> {
  const deadline = performance.now() + mostMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`did not come: ${wanted}`)
    await sleep(10)
  }
}

/** A turn as its writer sees it: the end of its stream. */
export type Writing = { readonly turnId: string; readonly tenant: string; readonly events: readonly StoredEvent[] }

/** Opens a turn in a store. With an owner, its worker must be enlisted. */
export async function openTurn(store: Store, given: { tenant?: string; owner?: string | null; labels?: Record<string, string> } = {}): Promise<Writing> {
  const { tenant = 'default', owner = null, labels = {} } = given
  const template = newTurn({ tenant, owner, labels })
  const [opened] = template.events
  const fact = { type: opened?.type, data: opened?.data } as Parameters<typeof chain>[1][number]
  const events = chained(store, template.turnId, tenant, [], [fact])
  await store.open({ ...template, events })
  return { turnId: template.turnId, tenant, events }
}

/** Appends to it: so many small facts, the last of which ends the turn when `ends` is set. Gives the stream behind it. */
export async function appendTo(store: Store, turn: Writing, count = 1, given: { ends?: boolean; epoch?: number; published?: number; facts?: readonly Fact[] } = {}): Promise<Writing> {
  const facts = given.facts ?? Array.from({ length: count }, (_, index) => (given.ends === true && index === count - 1 ? turnCompleted() : roundFailed(index + 1)))
  const events = chained(store, turn.turnId, turn.tenant, turn.events, facts)
  const last = turn.events.at(-1)
  const { epoch = null, published, ends = false } = given
  const answer = await store.append(appendAt(
    { turnId: turn.turnId, tenant: turn.tenant, version: last?.version ?? 0, hash: last?.hash ?? GENESIS },
    { events, epoch, ...(published === undefined ? {} : { published }), projection: ends ? { state: 'completed', wakeAt: null } : {} },
  ))
  if (answer.answer !== 'accepted') throw new Error(`the append was ${answer.answer}`)
  return { ...turn, events: [...turn.events, ...events] }
}

function chained(store: Store, turnId: string, tenant: string, before: readonly StoredEvent[], facts: Parameters<typeof chain>[1]): StoredEvent[] {
  const last = before.at(-1)
  const stamp = { turnId, tenant, time: isoTime(store.time()), actor: { kind: 'worker' as const, id: 'w-1' }, worked: 0 }
  return chain({ version: last?.version ?? 0, hash: last?.hash ?? GENESIS }, facts, stamp, () => randomBytes(16).toString('hex'))
}

/** Events of a turn that is in no store. */
export function looseEvents(count: number, given: { tenant?: string; data?: unknown } = {}): StoredEvent[] {
  const { tenant = 'default' } = given
  const facts = Array.from({ length: count }, (_, index) => ({ ...roundFailed(index + 1), ...(given.data === undefined ? {} : { data: given.data }) }))
  const stamp = { turnId: uuid(), tenant, time: isoTime(Date.now()), actor: { kind: 'worker' as const, id: 'w-1' }, worked: 0 }
  return chain({ version: 0, hash: GENESIS }, facts as Parameters<typeof chain>[1], stamp, () => randomBytes(16).toString('hex'))
}
