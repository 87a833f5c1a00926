// The store port: streams, the row of each turn, ownership, the inbox, the feed. Three implementations, one suite.
//
// What must be durable when a method resolves is said on the method. A method that cannot reach the store rejects with
// `store_unreachable`; one that meets an unmigrated or newer database with `schema_unmigrated` or `schema_newer`.

import type { Actor, EventType, StoredEvent } from '../events.ts'
import type { Principal } from '../principal.ts'
import type { ApprovalRow, Beside, Head, ListFilter, Projection, StoreHealth, TurnRow, TurnSecrets } from './rows.ts'
import type { Blobs } from './world.ts'

/** A new stream: `turn.opened` and nothing before it. */
export type OpenTurn = Beside & {
  readonly turnId: string
  readonly tenant: string
  readonly runtime: string
  /** Idempotency key of the spawn, unique in the tenant; null for none. */
  readonly key: string | null
  /** Digest of what was asked for: the same key with another digest is a conflict. */
  readonly contentDigest: string
  readonly labels: { readonly [name: string]: string }
  readonly principal: Principal | null
  /** What the turn offers, a tool or the source of some (see `servedAs`): workers that have all of it come first. */
  readonly offers: readonly string[]
  /** 32 random bytes: key of the argument digests. Leaves the row only towards workers and resolvers of this turn. */
  readonly turnKey: Uint8Array
  readonly events: readonly StoredEvent[]
  readonly projection: Projection
  /** The worker that drives it from the start (epoch 1), or null: the next claim takes it. */
  readonly owner: string | null
}

export type OpenAnswer =
  | { readonly answer: 'opened' }
  | { readonly answer: 'existing'; readonly turnId: string }
  | { readonly answer: 'conflict'; readonly turnId: string }

/** Events for one stream, all or none. */
export type Append = Beside & {
  readonly turnId: string
  /** Version and hash that the writer believes are last. */
  readonly expected: number
  readonly head: string
  /** The owner's fence; null for a writer that does not own, whose append also wakes the turn (`wake_at = now`). */
  readonly epoch: number | null
  /** Versions `expected + 1 …`, chained to `head`. At least one. */
  readonly events: readonly StoredEvent[]
  readonly projection: Projection
  /** The highest version that the bus has acknowledged, carried along. */
  readonly published?: number
  /** True: the same statement lets go of the turn (owner becomes null), as `release` does. For appends after which an owner rests. */
  readonly release?: boolean
}

/**
 * - `accepted`: committed with fsync, readable by everybody.
 * - `moved`: the stream has new events, same epoch; nothing was written. Read, fold, decide again.
 * - `fenced`: another epoch owns the turn; nothing was written. Stop.
 * - `busy`: the row stayed locked for as long as the store waits; nothing was written, the version is still the expected one.
 * - `failed`: the store refused this append (and only this one); nothing was written.
 *
 * A lost connection is not an answer: the implementation finds out what became of the append before it gives one.
 */
export type AppendAnswer =
  | { readonly answer: 'accepted' }
  | { readonly answer: 'moved' }
  | { readonly answer: 'fenced' }
  | { readonly answer: 'busy' }
  | { readonly answer: 'failed'; readonly error: Error }

/** What a worker may drive: turns of this runtime that offer nothing else than these. */
export type Serves = { readonly runtime: string; readonly tools: readonly string[] }

export type Claimed = { readonly turnId: string; readonly tenant: string; readonly epoch: number; readonly version: number }

export type ClaimRequest = {
  readonly worker: string
  /** At most so many turns. */
  readonly count: number
  readonly runtime: string
  /** The tools and sources of tools that this worker has. Turns that offer another one are left to workers that have it. */
  readonly tools: readonly string[]
  /** The newest event schema version this worker can fold. Turns with a newer one are not taken. */
  readonly format: number
  /** Claim this one only, also when it is parked, and take it out of the park. */
  readonly turnId?: string
}

export type HeartbeatAnswer = {
  /** False: the lease had ended before this beat; the worker must stop as if fenced and come back under a new id. */
  readonly alive: boolean
  /** Of the held turns, those whose version is no longer the one that was sent, or that are owned by another epoch. */
  readonly moved: readonly string[]
}

/** A position in the feed. Opaque to people; carries the cluster's identity, so a restored database is noticed. */
export type FeedCursor = string

export type FeedPage = { readonly events: readonly StoredEvent[]; readonly cursor: FeedCursor }

export type Store = {
  /** The clock of the store, in epoch milliseconds, the same for every process. Decides every expiry (C5). */
  readonly now: () => Promise<number>
  /** An estimate of the same clock that needs no round trip: for the time of events, never for a decision. */
  readonly time: () => number
  /** Moves the store's clock forward for everybody. Tests only. */
  readonly advance: (ms: number) => Promise<void>

  /** Resolves when the stream is durable, or when it was there already. */
  readonly open: (turn: OpenTurn) => Promise<OpenAnswer>
  /** Resolves with what became of it; `accepted` only when it is durable. Calls made while one is in flight ride together. */
  readonly append: (append: Append) => Promise<AppendAnswer>
  /** Events with a version above `after` (default 0), in order, at most `limit` (default all). Empty for an unknown turn. */
  readonly read: (turnId: string, after?: number, limit?: number) => Promise<readonly StoredEvent[]>
  readonly turn: (turnId: string) => Promise<TurnRow | null>
  readonly secrets: (turnId: string) => Promise<TurnSecrets | null>
  readonly turnByKey: (tenant: string, key: string) => Promise<TurnRow | null>
  /** Newest first. */
  readonly list: (filter: ListFilter) => Promise<{ readonly turns: readonly TurnRow[]; readonly next: string | null }>
  /** The inbox: open ones unless `settled` is asked for; the same filters over their turns; newest first. */
  readonly approvals: (
    filter: ListFilter & { readonly settled?: boolean },
  ) => Promise<{ readonly approvals: readonly ApprovalRow[]; readonly next: string | null }>
  readonly approval: (approvalId: string) => Promise<ApprovalRow | null>
  readonly sealed: (turnId: string, ordinal: number) => Promise<Uint8Array | null>
  /** Results that are larger than a record, kept beside the streams; for hosts that say `blobs: 'store'` (D9). */
  readonly blobs: Blobs
  /**
   * Erases payload and salt of these versions for good (all when none is named), and the results in `blobs` that only they name.
   * The chain still verifies, as `erased`.
   */
  readonly erase: (turnId: string, versions?: readonly number[]) => Promise<number>
  /** Takes an event out of a stream: damage, for tests of what damage does. */
  readonly damage: (turnId: string, version: number) => Promise<void>

  /**
   * Registers a worker and gives it its first lease. The id must be new for every process start. One that does not say what it
   * serves is taken to serve everything.
   */
  readonly enlist: (worker: string, leaseMs: number, serves?: Serves) => Promise<void>
  /**
   * Renews the lease and says which of the held turns moved. `held` are the turns that live actors really hold, with the
   * versions they folded; an owned turn missing from two lists in a row is released.
   */
  readonly heartbeat: (
    worker: string,
    leaseMs: number,
    held: readonly { readonly turnId: string; readonly version: number; readonly epoch: number }[],
  ) => Promise<HeartbeatAnswer>
  /** Ends a lease at once: for a supervisor that saw the process exit, and at shutdown. Its turns can be claimed right away. */
  readonly retire: (worker: string) => Promise<void>
  /**
   * Takes due turns whose owner is nobody or dead: the epoch rises by one. Parks what was claimed 5 times without an append; of what
   * was claimed twice without one a worker is given one at a time, so that what it drives beside is not parked as well.
   *
   * A turn of which the worker lacks a tool is taken when nobody who has all of them was alive for 5 minutes (C7).
   */
  readonly claim: (request: ClaimRequest) => Promise<readonly Claimed[]>
  /**
   * Passivation in one statement: lets go and sets the wake-up where the epoch is mine and the version is the one I folded. A claim
   * that ends so does not count towards the park. False: something moved; read, fold and look again.
   */
  readonly release: (turnId: string, epoch: number, version: number, wakeAt: 'now' | number | null) => Promise<boolean>

  /** Committed events of all turns behind the cursor (null: the start), stable and without gaps, rising in version per turn. */
  readonly feed: (cursor: FeedCursor | null, limit: number) => Promise<FeedPage>
  /** A cursor at the present end of the feed. */
  readonly feedEnd: () => Promise<FeedCursor>
  /** Heads of turns that changed at or after `since` (epoch ms), by turn id, from behind `after`. */
  readonly heads: (since: number, after: string | null, limit: number) => Promise<readonly Head[]>
  readonly saveCursor: (name: string, cursor: FeedCursor) => Promise<void>
  readonly cursor: (name: string) => Promise<FeedCursor | null>

  /** Turns without a living owner, or ended, whose `published` lags behind their version for `lagMs`, oldest first. */
  readonly unpublished: (
    lagMs: number,
    limit: number,
  ) => Promise<readonly { readonly turnId: string; readonly published: number; readonly version: number }[]>
  /** Raises `published` of many turns, never lowers it. */
  readonly acknowledge: (published: readonly { readonly turnId: string; readonly version: number }[]) => Promise<void>
  /** A row lease by name, for the one relay or sweeper: true while it is mine. */
  readonly lead: (name: string, worker: string, leaseMs: number) => Promise<boolean>

  /** Calls back when a turn was appended to by somebody who does not own it, where the store can tell; polling is the floor. */
  readonly onWake: (callback: (turnId: string) => void) => () => void
  readonly health: () => Promise<StoreHealth>
  readonly close: () => Promise<void>
}

/** What a writer that owns nothing may append. */
export const UNOWNED_TYPES: readonly EventType[] = [
  'approval.granted',
  'approval.denied',
  'approval.expired',
  'approval.turned-away',
  'clarification.answered',
  'clarification.expired',
  'clarification.turned-away',
  'turn.cancelling',
  'attempt.started',
  'call.ended',
  'call.settled',
]

export type { Actor }
