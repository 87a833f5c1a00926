// Where a consumer stands in every turn. Bounded: what was quiet for a while needs no entry of its own.
//
// The position is a time and a map. A turn in the map was seen up to the version there; a turn that is not was seen up to its
// last event before the time. So the map holds what is new since that time and what is not seen to its end; as both move on,
// it stays as small as the recent traffic, and a turn that wakes up after a year is still known. Event times are estimates of
// the store's clock, so they are compared only with a wide margin: the time lies one margin behind the clock, and a turn leaves
// the map only when it did not change for two.

import { ToolturnError } from '../machines/errors.ts'
import { isJsonObject, type Json } from '../machines/json.ts'
import { parseJson } from '../machines/json-text.ts'
import type { Head } from '../machines/ports/rows.ts'
import type { Store } from '../machines/ports/store.ts'
import type { Clock, Log } from '../machines/ports/world.ts'
import { nameOf } from './delivery.ts'

/**
 * Where the consumer's effect is kept, if it likes to keep its place there: a handler that writes the event's version in the
 * same transaction as its effect has both or neither, whatever dies. Without one, an effect may come twice after a crash.
 */
export type Seen = {
  /** The highest version of this turn whose effect is there; null when there is none of this turn. Asked when a turn is met. */
  readonly version: (turnId: string) => Promise<number | null>
  /** The consumer is done with this version: handled, or passed over by its filter. Raises the version, never lowers it. */
  readonly advance: (turnId: string, version: number) => Promise<void>
}

export type PositionPorts = {
  readonly store: Pick<Store, 'now' | 'read' | 'turn' | 'heads' | 'cursor' | 'saveCursor'>
  readonly clock: Clock
  readonly log: Log
  /** False: the lease has run out, and the place is another one's to write. */
  readonly leads: () => boolean
}

export type Position = {
  /** Epoch milliseconds by the store's clock: what changed before is in the map or was seen to its end. */
  readonly since: () => number
  /** The version up to which the turn was seen. */
  readonly at: (turnId: string) => Promise<number>
  /** The turn has this version; it is not pruned before it was seen so far. */
  readonly expect: (turnId: string, version: number) => Promise<void>
  readonly advance: (turnId: string, version: number) => Promise<void>
  /** Turns that have more than was seen, also those that did not change for long and could not be handled before a restart. */
  readonly behind: () => Promise<readonly { readonly turnId: string; readonly version: number }[]>
  /** Moves the time on, after all heads since it were expected. @param lookedAt `now` of the store before those were read */
  readonly prune: (lookedAt: number) => Promise<void>
  /** Resolves when all that was advanced is durable. */
  readonly close: () => Promise<void>
}

/** `head` is the highest version that is known of; null before anybody said. `asked`: the consumer's own place was looked at. */
type Entry = { at: number; head: number | null; asked: boolean }
type Kept = { readonly since: number; readonly turns: ReadonlyMap<string, number> }

const MARGIN_MS = 60_000
/** Between two writes of the position, and one more for so many entries: a large map is not written all the time. */
const SAVE_MS = 200
const ENTRIES_PER_MS = 20
const HEADS_AT_ONCE = 500

/** Under this name stand the place of a consumer in the store, and the lease of the one at work. */
export function placeName(name: string): string {
  return `subscription:${name}`
}

/** Writes the first position of a consumer, unless it has one. The caller leads: nobody else does this. */
export async function beginPosition(store: PositionPorts['store'], name: string, from: 'new' | 'start'): Promise<void> {
  if ((await store.cursor(placeName(name))) !== null) return
  const turns = new Map<string, number>()
  const since = from === 'start' ? 0 : (await store.now()) - MARGIN_MS
  if (from === 'new') {
    for await (const { turnId, version } of headsSince(store, since - MARGIN_MS)) turns.set(turnId, version)
  }
  await store.saveCursor(placeName(name), written({ since, turns }))
}

/** Goes on from the position in the store. The caller leads: nobody else writes it. */
export async function openPosition(ports: PositionPorts, name: string, seen: Seen | null): Promise<Position> {
  const { store } = ports
  const kept = readKept(name, await store.cursor(placeName(name)))
  const entries = new Map([...kept.turns].map(([turnId, at]): [string, Entry] => [turnId, { at, head: null, asked: seen === null }]))
  let since = kept.since
  const saver = saving(ports, name, () => ({ since, turns: new Map([...entries].map(([turnId, { at }]) => [turnId, at])) }))

  const entryOf = async (turnId: string): Promise<Entry> => {
    const known = entries.get(turnId)
    if (known?.asked === true) return known
    const at = (await seen?.version(turnId)) ?? known?.at ?? (await versionBefore(store, turnId, since))
    // Somebody else may have asked meanwhile, and gone on from there.
    const present = entries.get(turnId)
    if (present?.asked === true) return present
    const entry = { at, head: present?.head ?? null, asked: true }
    entries.set(turnId, entry)
    return entry
  }

  return {
    since: () => since,
    at: async turnId => (await entryOf(turnId)).at,
    expect: async (turnId, version) => {
      const entry = await entryOf(turnId)
      entry.head = Math.max(entry.head ?? 0, version)
    },
    advance: async (turnId, version) => {
      await seen?.advance(turnId, version)
      const entry = await entryOf(turnId)
      entry.at = Math.max(entry.at, version)
      saver.soon()
    },
    behind: async () => {
      const behind: { turnId: string; version: number }[] = []
      for (const turnId of entries.keys()) {
        const entry = await entryOf(turnId)
        entry.head ??= (await store.turn(turnId))?.version ?? 0
        if (entry.at < entry.head) behind.push({ turnId, version: entry.head })
      }
      return behind
    },
    prune: async lookedAt => {
      const floor = lookedAt - MARGIN_MS
      if (floor <= since) return
      const recent = new Set<string>()
      for await (const { turnId } of headsSince(store, floor - MARGIN_MS)) recent.add(turnId)
      for (const [turnId, { at, head }] of entries) if (head !== null && at >= head && !recent.has(turnId)) entries.delete(turnId)
      since = floor
      saver.soon()
    },
    close: saver.close,
  }
}

/** Heads of all turns that changed since a time, page by page. */
export async function* headsSince(store: Pick<Store, 'heads'>, since: number): AsyncGenerator<Head> {
  let after: string | null = null
  for (;;) {
    const page: readonly Head[] = await store.heads(since, after, HEADS_AT_ONCE)
    yield* page
    if (page.length < HEADS_AT_ONCE) return
    after = page.at(-1)?.turnId ?? null
  }
}

/** The last version of a turn from before a time; the row says at once that a turn was opened later. */
async function versionBefore(store: Pick<Store, 'read' | 'turn'>, turnId: string, since: number): Promise<number> {
  const row = since === 0 ? null : await store.turn(turnId)
  if (row === null || row.openedAt >= since) return 0
  const events = await store.read(turnId)
  return events.filter(({ time }) => Date.parse(time) < since).at(-1)?.version ?? 0
}

/** One write at a time; what changes meanwhile goes with the next. */
function saving({ store, clock, log, leads }: PositionPorts, name: string, state: () => Kept) {
  const closing = new AbortController()
  let dirty = false
  let running: Promise<void> | null = null
  const save = async () => {
    dirty = false
    const kept = state()
    await store.saveCursor(placeName(name), written(kept))
    return kept.turns.size
  }
  const run = async () => {
    while (dirty && leads() && !closing.signal.aborted) {
      const entries = await save().catch((error: unknown) => {
        dirty = true
        log.warn('The place of a consumer could not be written.', { consumer: name, error: nameOf(error) })
        return 0
      })
      await clock.sleep(SAVE_MS + entries / ENTRIES_PER_MS, closing.signal)
    }
    running = null
  }
  return {
    soon: () => {
      dirty = true
      running ??= run()
    },
    close: async () => {
      closing.abort()
      await running
      if (dirty && leads()) await save()
    },
  }
}

const written = ({ since, turns }: Kept) => JSON.stringify({ format: 1, since, turns: [...turns] })

function readKept(name: string, text: string | null): Kept {
  const value: Json = text === null ? null : parseJson(text)
  if (isJsonObject(value) && value.format === 1 && typeof value.since === 'number' && Array.isArray(value.turns)) {
    return { since: value.since, turns: new Map(value.turns as [string, number][]) }
  }
  throw new ToolturnError('internal', 'The place of a consumer cannot be read.', { consumer: name })
}
