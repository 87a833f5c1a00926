// A whole store verified: every stream, its row against it, and the feed against both. Memory is bounded by pages and batches.

import { canonicalJson } from './json.ts'
import { eventsOf, rowsOf } from './pages.ts'
import type { ListFilter, TurnRow } from './ports/rows.ts'
import type { Store } from './ports/store.ts'
import { project } from './projection.ts'
import type { VerifyFinding, VerifyResult } from './runtime/api.ts'
import { checkNext, compareEnd, compareHead, startCheck, type StreamCheck } from './verify.ts'
import { verifyFeed, type FeedVerified } from './verify-feed.ts'

/** What `verify` says, and what it could not say. */
export type StoreVerified = VerifyResult & {
  /** Events whose legality was not judged, since an erased payload or damage stands before them. */
  readonly unjudged: number
  /** Committed versions that the feed does not show yet, since an older transaction holds its horizon. */
  readonly unfed: number
}

/** How far it came; for people who wait. */
export type VerifyProgress = { readonly turns: number; readonly events: number }

/** Turns that one pass over the feed looks for. */
const FEED_BATCH = 100_000
/** More damage than this in one store is counted in `ok` only. */
const MOST_FINDINGS = 10_000

const NOTHING: StoreVerified = { ok: true, turns: 0, events: 0, erased: 0, unjudged: 0, unfed: 0, findings: [] }

/**
 * Verifies one turn: its stream, and its row against the stream. Results that are kept whole beside their records (D9) are not looked
 * for: the records bind them by their digests, and a replay says where one is missing.
 */
export async function verifyTurn(store: Store, row: TurnRow): Promise<StoreVerified> {
  return checkTurn(store, row, NOTHING)
}

/**
 * Verifies every turn that the filter names, newest first, and that each of their committed versions is in the feed once, in
 * order. Turns that are opened meanwhile are left out; what is appended meanwhile is checked as far as it is seen.
 */
export async function verifyAll(
  store: Store,
  filter: Omit<ListFilter, 'limit' | 'cursor'>,
  onProgress: (progress: VerifyProgress) => void = () => undefined,
): Promise<StoreVerified> {
  let verified = NOTHING
  let batch = new Map<string, number>()
  for await (const row of rowsOf(store, filter)) {
    verified = await checkTurn(store, row, verified)
    onProgress({ turns: verified.turns, events: verified.events })
    batch.set(row.turnId, row.version)
    if (batch.size < FEED_BATCH) continue
    verified = withFeed(verified, await verifyFeed(store, batch))
    batch = new Map()
  }
  return withFeed(verified, await verifyFeed(store, batch))
}

async function checkTurn(store: Store, row: TurnRow, verified: StoreVerified): Promise<StoreVerified> {
  let check = startCheck(row.turnId)
  let atRow: readonly VerifyFinding[] = []
  for await (const event of eventsOf(store, row.turnId)) {
    check = checkNext(check, event)
    // The row was read before its stream: what is behind its version was appended meanwhile.
    if (event.version === row.version) atRow = [...compareHead(row, check), ...compareShown(row, check)]
  }
  const { events, erased, unjudged, findings } = check
  const counted = {
    ...verified,
    turns: verified.turns + 1,
    events: verified.events + events,
    erased: verified.erased + erased,
    unjudged: verified.unjudged + unjudged,
  }
  return withFindings(counted, [...findings, ...atRow, ...compareEnd(row, check)])
}

/** The row shows what its stream says, where that can be known. Its wake-up is left out: that is moved without an event. */
function compareShown(row: TurnRow, { state }: StreamCheck): readonly VerifyFinding[] {
  if (state === null) return []
  const { wakeAt: _wakeAt, ...shown } = project(state)
  const wrong = Object.entries(shown).filter(([name, value]) => canonicalJson(row[name as keyof typeof shown]) !== canonicalJson(value))
  const { turnId, version } = row
  return wrong.map(([name]) => ({ turnId, version, problem: `\`${name}\` of the row is not what the stream says` }))
}

function withFindings(verified: StoreVerified, more: readonly VerifyFinding[]): StoreVerified {
  if (more.length === 0) return verified
  const room = Math.max(0, MOST_FINDINGS - verified.findings.length)
  return { ...verified, ok: false, findings: [...verified.findings, ...more.slice(0, room)] }
}

function withFeed(verified: StoreVerified, { findings, unfed }: FeedVerified): StoreVerified {
  return { ...withFindings(verified, findings), unfed: verified.unfed + unfed }
}
