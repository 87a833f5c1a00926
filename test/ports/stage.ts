// A stage for one test of a store: its own tenant and runtime name on a shared database, and the steps most tests begin with.

import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { checkLink, type LinkVerdict } from '../../machines/chain.ts'
import type { StoredEvent } from '../../machines/events.ts'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { Claimed, ClaimRequest, Store } from '../../machines/ports/store.ts'
import { appendAt, newTurn, placeBehind, type Place, type Saying } from './streams.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** A store as the suite sees it. */
export type StoreUnderTest = {
  /** Two handles on one database, as two processes have them; the same one twice where one process at a time may hold it. */
  readonly stores: readonly [Store, Store]
  /** Turns a feed cursor of this store into one of another database. */
  readonly foreign: (cursor: string) => string
  /** Whether `onWake` calls back, or polling is all there is. */
  readonly tellsWakes: boolean
}

export type Stage = StoreUnderTest & {
  readonly store: Store
  readonly other: Store
  readonly tenant: string
  readonly runtime: string
  /** Opens a turn of this stage. */
  readonly open: (given?: Parameters<typeof newTurn>[0]) => Promise<Place>
  /** Appends and expects to be accepted; gives the new end of the stream. */
  readonly write: (place: Place, saying?: Saying) => Promise<Place>
  /** Enlists a worker under a new id, which serves turns of this stage. @param tools that it has; none where nothing is said */
  readonly worker: (leaseMs?: number, tools?: readonly string[]) => Promise<string>
  /** Claims among the turns of this stage. */
  readonly claim: (worker: string, given?: Partial<ClaimRequest>) => Promise<readonly Claimed[]>
  /** A turn that a new worker has claimed. */
  readonly owned: (given?: Parameters<typeof newTurn>[0]) => Promise<{ place: Place; worker: string; epoch: number }>
  readonly row: (place: Pick<Place, 'turnId'>) => Promise<TurnRow>
  /** What `checkLink` says of each event of the stream, read back. */
  readonly links: (place: Pick<Place, 'turnId'>) => Promise<LinkVerdict[]>
}

export function stageOn(under: StoreUnderTest): Stage {
  const [store, other] = under.stores
  const tenant = unique('tenant')
  const runtime = unique('runtime')

  const open: Stage['open'] = async given => {
    const turn = newTurn({ tenant, runtime, ...given })
    expect(await store.open(turn)).toEqual({ answer: 'opened' })
    return placeBehind(turn)
  }
  const write: Stage['write'] = async (place, saying) => {
    const append = appendAt(place, saying)
    expect(await store.append(append)).toEqual({ answer: 'accepted' })
    return placeBehind(append)
  }
  const worker: Stage['worker'] = async (leaseMs = HOUR, tools = []) => {
    const id = unique('worker')
    await store.enlist(id, leaseMs, { runtime, tools })
    return id
  }
  const claim: Stage['claim'] = (id, given) => store.claim({ worker: id, count: 100, runtime, tools: [], format: 1, ...given })
  const owned: Stage['owned'] = async given => {
    const place = await open(given)
    const id = await worker()
    const claimed = await claim(id, { turnId: place.turnId })
    expect(claimed.map(each => each.turnId)).toEqual([place.turnId])
    return { place, worker: id, epoch: claimed[0]?.epoch as number }
  }
  const row: Stage['row'] = async ({ turnId }) => {
    const found = await other.turn(turnId)
    expect(found).not.toBeNull()
    return found as TurnRow
  }
  const links: Stage['links'] = async ({ turnId }) => linksOf(await other.read(turnId))

  return { ...under, store, other, tenant, runtime, open, write, worker, claim, owned, row, links }
}

export function linksOf(events: readonly StoredEvent[]): LinkVerdict[] {
  return events.map((event, index) => checkLink(events[index - 1] ?? null, event))
}

export function unique(kind: string): string {
  return `${kind}-${randomBytes(6).toString('hex')}`
}

export function versions(events: readonly StoredEvent[]): number[] {
  return events.map(event => event.version)
}

/** 1, 2, … up to a count. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
