// Results that are larger than a record: kept whole in the blob store before their record is appended, and got from there before a
// model is asked with them (D9). A record holds the short form, whose digest binds the whole.

import { createHash } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { errorName, ToolturnError } from './errors.ts'
import type { StoredEvent } from './events.ts'
import type { RecordedResult } from './events/shapes.ts'
import { parseJson } from './json-text.ts'
import type { Ports } from './ports.ts'
import type { Blobs, Clock } from './ports/world.ts'
import { boundResult, canonicalBytes } from './result.ts'
import type { CallState, TurnState } from './state.ts'
import type { ToolResult } from './tool.ts'

type BlobPorts = Pick<Ports, 'blobs' | 'clock' | 'log'>

/** How long the blob store is waited for. */
const BLOB_MS = 60_000
const REFERENCE_CHARACTERS = 512

/**
 * What is recorded of a result: itself, or its short form and where the whole is kept. The whole is durable when this resolves.
 *
 * Without a blob store, over `blobBytes`, or where the blob store fails, it is the short form alone.
 *
 * Held in memory meanwhile: the result, its canonical text, and what the blob store makes of it.
 *
 * @param result redacted
 */
export async function recordWhole(
  { blobs, clock, log }: BlobPorts,
  { turnId, opened, catalog }: TurnState,
  { ordinal, item }: CallState,
  result: ToolResult,
): Promise<RecordedResult> {
  const { recordBytes, blobBytes } = opened.limits
  const canonical = canonicalBytes(result)
  const recorded = boundResult(result, catalog.get(item.name)?.recordBytes ?? recordBytes, canonical)
  const { truncated, digest, bytes } = recorded
  if (!truncated || blobs === null || bytes > blobBytes) return recorded
  try {
    return { ...recorded, blob: await putBlob(blobs, clock, turnId, digest, canonical) }
  } catch (error) {
    log.error('a result could not be kept whole; its short form is recorded', { turnId, ordinal, bytes, error: errorName(error) })
    return recorded
  }
}

/**
 * Keeps the canonical text of a whole result. Durable when this resolves, with its reference.
 *
 * @throws ToolturnError `store_unreachable` when the blob store fails
 */
export async function putBlob(blobs: Blobs, clock: Clock, turnId: string, digest: string, canonical: Uint8Array): Promise<string> {
  try {
    const reference = await inTime(clock, () => blobs.put(turnId, digest, canonical))
    if (typeof reference === 'string' && reference.length <= REFERENCE_CHARACTERS) return reference
    throw new TypeError('A blob store gives a text of at most 512 characters as the reference.')
  } catch (error) {
    throw unreachable(turnId, error)
  }
}

/**
 * The canonical text of a whole result, as UTF-8. Null when it is not there, or is not what was recorded.
 *
 * @throws ToolturnError `store_unreachable` when the blob store fails
 */
export async function loadBlob({ blobs, clock }: BlobPorts, turnId: string, { blob, digest }: RecordedResult): Promise<Uint8Array | null> {
  if (blobs === null || blob === undefined) return null
  try {
    const bytes = await inTime(clock, () => blobs.get(blob))
    return bytes !== null && createHash('sha256').update(bytes).digest('hex') === digest ? bytes : null
  } catch (error) {
    throw unreachable(turnId, error)
  }
}

function unreachable(turnId: string, cause: unknown): ToolturnError {
  return new ToolturnError('store_unreachable', 'The blob store failed or could not be reached.', { turnId }, cause)
}

async function inTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = clock.sleep(BLOB_MS, done.signal).then((): never => {
    throw new Error('the blob store did not answer in time')
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    late.catch(() => {
      /* the race is over */
    })
    done.abort()
  }
}

/** A state with whole results in place of their short forms; `gone`: a call whose whole result is not there any more. */
export type Whole = { readonly state: TurnState; readonly gone: CallState | null }

/**
 * The state that a model is asked from. Never folded on, nor digested: the request is digested with the short forms.
 *
 * Results are put in whole from the newest back, those that fit within `limits.blobBytes` together; so much is held in memory.
 *
 * @throws ToolturnError `store_unreachable`
 */
export async function withWholeResults(state: TurnState, ports: BlobPorts): Promise<Whole> {
  const calls = new Map(state.calls)
  let left = state.opened.limits.blobBytes
  for (const call of [...state.calls.values()].reverse()) {
    const { recorded } = call
    if (recorded?.blob === undefined || recorded.bytes > left) continue
    const canonical = await loadBlob(ports, state.turnId, recorded)
    if (canonical === null) return { state, gone: call }
    left -= recorded.bytes
    calls.set(call.ordinal, { ...call, recorded: { ...recorded, result: readResult(canonical) } })
  }
  return { state: left === state.opened.limits.blobBytes ? state : { ...state, calls }, gone: null }
}

function readResult({ buffer, byteOffset, byteLength }: Uint8Array): ToolResult {
  return parseJson(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) as unknown as ToolResult
}

/** What an event records of a result; null for one that records none, or whose payload was erased. */
export function resultOf({ type, data }: StoredEvent): RecordedResult | null {
  if (data === null) return null
  if (type === 'call.recorded') return data as RecordedResult
  return type === 'call.settled' ? ((data as { readonly recorded?: RecordedResult }).recorded ?? null) : null
}

/**
 * The versions of a stream that record a result whose whole is not in the blob store any more, or is not what was recorded.
 *
 * @throws ToolturnError `store_unreachable`
 */
export async function recordsWithoutBlob(events: readonly StoredEvent[], ports: BlobPorts): Promise<ReadonlySet<number>> {
  const missing = new Set<number>()
  for (const event of events) {
    const recorded = resultOf(event)
    if (recorded?.blob === undefined) continue
    if ((await loadBlob(ports, event.turnId, recorded)) === null) missing.add(event.version)
  }
  return missing
}
