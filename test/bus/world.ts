// What tests of the bus stand on: real time, a log that is kept, turns with honest times, and waiting for a condition.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuid } from 'uuid'
import { chain, GENESIS } from '../../machines/chain.ts'
import type { Fact, StoredEvent } from '../../machines/events.ts'
import { isoTime } from '../../machines/time.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Clock, Log } from '../../machines/ports/world.ts'
import { appendAt, newTurn, roundFailed, turnCompleted, type Place } from '../ports/streams.ts'

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

/** Opens a turn in a store. */
export async function openTurn(store: Store, given: { tenant?: string; labels?: Record<string, string> } = {}): Promise<Writing> {
  const template = newTurn({ tenant: 'default', labels: {}, ...given })
  const { turnId, tenant } = template
  const [opened] = template.events
  const fact = { type: opened?.type, data: opened?.data } as Fact
  const turn = { turnId, tenant, events: chained({ turnId, tenant, events: [] }, isoTime(store.time()), [fact]) }
  await store.open({ ...template, events: turn.events })
  return turn
}

export type Appending = {
  /** The last one ends the turn. */
  readonly ends?: boolean
  readonly epoch?: number
  readonly published?: number
  /** Default: so many small ones. */
  readonly facts?: readonly Fact[]
}

/** Appends so many facts and gives the stream behind them. @throws when the append is not accepted */
export async function appendTo(store: Store, turn: Writing, count = 1, given: Appending = {}): Promise<Writing> {
  const { ends = false, epoch = null, published } = given
  const nth = (index: number) => (ends && index === count - 1 ? turnCompleted() : roundFailed(index + 1))
  const facts = given.facts ?? Array.from({ length: count }, (_, index) => nth(index))
  const events = chained(turn, isoTime(store.time()), facts)
  const projection = ends ? { state: 'completed' as const, wakeAt: null } : {}
  const saying = { events, epoch, projection, ...(published === undefined ? {} : { published }) }
  const { answer } = await store.append(appendAt(headOf(turn), saying))
  if (answer !== 'accepted') throw new Error(`the append was ${answer}`)
  return { ...turn, events: [...turn.events, ...events] }
}

/** Events of a turn that is in no store. */
export function looseEvents(count: number, given: { tenant?: string; data?: unknown } = {}): StoredEvent[] {
  const facts = Array.from({ length: count }, (_, index) => roundFailed(index + 1))
  const changed = given.data === undefined ? facts : facts.map(fact => ({ ...fact, data: given.data }) as Fact)
  return chained({ turnId: uuid(), tenant: given.tenant ?? 'default', events: [] }, isoTime(Date.now()), changed)
}

function headOf({ turnId, tenant, events }: Writing): Place {
  const last = events.at(-1)
  return { turnId, tenant, version: last?.version ?? 0, hash: last?.hash ?? GENESIS }
}

function chained(turn: Writing, time: string, facts: readonly Fact[]): StoredEvent[] {
  const { turnId, tenant } = turn
  const stamp = { turnId, tenant, time, actor: { kind: 'worker' as const, id: 'w-1' }, worked: 0 }
  return chain(headOf(turn), facts, stamp, () => randomBytes(16).toString('hex'))
}
