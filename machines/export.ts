// The audit file: streams in their stored form, salts and all, so that whoever holds it can verify every hash without us.
//
// JSONL, each line canonical text: a header, then each turn and its events in order, then an end with counts and a digest over the
// lines before it. Nothing is kept in memory but a page.

import { createHash } from 'node:crypto'
import { ToolturnError } from './errors.ts'
import { EXPORT_FORMAT, eventText, type EndLine, type HeaderLine, type TurnLine } from './export-lines.ts'
import { canonicalJson } from './json.ts'
import { eventsOf, rowsOf } from './pages.ts'
import type { TurnRow } from './ports/rows.ts'
import type { Store } from './ports/store.ts'
import { isoTime } from './time.ts'

/** One turn, or those that were opened from `since` until before `until`, in epoch milliseconds. */
export type ExportRequest =
  | { readonly turnId: string; readonly tenant?: string }
  | { readonly since?: number; readonly until?: number; readonly tenant?: string }

/**
 * The lines of an export, without their line feeds. What is appended to a turn while it is read may be in or not. Of a result that
 * is kept whole beside its record (D9) there is what the record has: the short form, the digest of the whole, and its reference.
 *
 * @throws ToolturnError `turn_not_found`, also where the turn is another tenant's
 */
export async function* exportLines(store: Store, asked: ExportRequest): AsyncGenerator<string> {
  const digest = createHash('sha256')
  let turns = 0
  let events = 0
  const rows = 'turnId' in asked ? [await requireTurn(store, asked)] : rowsOf(store, asked)
  const at = isoTime(await store.now())
  yield hashed(digest, canonicalJson({ export: { of: 'toolturn', format: EXPORT_FORMAT, at, asked } } satisfies HeaderLine))
  for await (const { turnId, tenant, version, head } of rows) {
    turns += 1
    yield hashed(digest, canonicalJson({ turn: { turnId, tenant, version, head } } satisfies TurnLine))
    for await (const event of eventsOf(store, turnId)) {
      events += 1
      yield hashed(digest, eventText(event))
    }
  }
  yield canonicalJson({ end: { turns, events, digest: digest.digest('hex') } } satisfies EndLine)
}

function hashed(digest: ReturnType<typeof createHash>, text: string): string {
  digest.update(text).update('\n')
  return text
}

async function requireTurn(store: Store, { turnId, tenant }: { readonly turnId: string; readonly tenant?: string }): Promise<TurnRow> {
  const row = await store.turn(turnId)
  if (row === null || (tenant !== undefined && row.tenant !== tenant)) throw new ToolturnError('turn_not_found', '', { turnId })
  return row
}
