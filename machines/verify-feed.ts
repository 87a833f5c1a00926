// The feed against the store: every committed version is in it once, rising per turn. One pass for a batch of turns.

import type { FeedCursor, Store } from './ports/store.ts'
import type { VerifyFinding } from './runtime/api.ts'

const PAGE = 500
/** More disorder than this in one pass is not told one by one. */
const MOST_FINDINGS = 1_000

export type FeedVerified = {
  readonly findings: readonly VerifyFinding[]
  /** Committed versions that are not shown yet, since an older transaction holds the horizon. */
  readonly unfed: number
}

/** The version that each turn is known to have, and the last one that was seen in the feed. */
type Seen = Map<string, { readonly committed: number; last: number }>

/**
 * Walks the feed from its start.
 *
 * @param turns committed versions of the turns that are looked for, read before this is called
 */
export async function verifyFeed(store: Store, turns: ReadonlyMap<string, number>): Promise<FeedVerified> {
  if (turns.size === 0) return { findings: [], unfed: 0 }
  const startedAt = await store.now()
  const seen: Seen = new Map([...turns].map(([turnId, committed]) => [turnId, { committed, last: 0 }]))
  const findings: VerifyFinding[] = []
  const end = await walk(store, null, seen, findings)
  if (lags(seen).length === 0) return { findings, unfed: 0 }
  const { horizon } = await store.health()
  await walk(store, end, seen, findings)
  const behind = lags(seen)
  // What was committed before the walk can still be hidden by a transaction that began before it, and by no other one.
  if (horizon.some(holder => holder.since <= startedAt)) {
    return { findings, unfed: behind.reduce((sum, { committed, last }) => sum + committed - last, 0) }
  }
  const absent = behind.map(({ turnId, last, committed }) => ({
    turnId,
    version: last + 1,
    problem: `the feed ends at version ${last} of the turn, the stream at version ${committed}`,
  }))
  return { findings: [...findings, ...absent], unfed: 0 }
}

/** Reads to the end. A page may hold nothing and still not be the last: then its cursor is another one. */
async function walk(store: Store, from: FeedCursor | null, seen: Seen, findings: VerifyFinding[]): Promise<FeedCursor | null> {
  for (let cursor = from; ; ) {
    const page = await store.feed(cursor, PAGE)
    for (const { turnId, version } of page.events) {
      const turn = seen.get(turnId)
      if (turn === undefined) continue
      const problem = outOfOrder(turn.last, version)
      if (problem !== null && findings.length < MOST_FINDINGS) findings.push({ turnId, version, problem })
      turn.last = Math.max(turn.last, version)
    }
    if (page.events.length === 0 && page.cursor === cursor) return cursor
    cursor = page.cursor
  }
}

function outOfOrder(last: number, version: number): string | null {
  if (version === last + 1) return null
  return version > last ? `the feed gives it right behind version ${last}` : 'the feed gives it again, or out of order'
}

function lags(seen: Seen): readonly { readonly turnId: string; readonly committed: number; readonly last: number }[] {
  return [...seen].flatMap(([turnId, { committed, last }]) => (last < committed ? [{ turnId, committed, last }] : []))
}
