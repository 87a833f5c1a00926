// How values lie in columns, so that what is read back equals what was written, for every JSON string.

import { canonicalJson } from '../machines/json.ts'
import type { Actor } from '../machines/events.ts'
import { TOKEN } from '../machines/ids.ts'

/** What a `text` column refuses or a driver replaces: U+0000, and halves of surrogate pairs. */
const UNWRITABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Any string as column text: itself, or its JSON text where the column could not hold it, or where it would look like one. */
export function toText(value: string): string {
  return UNWRITABLE.test(value) || value.startsWith('"') ? JSON.stringify(value) : value
}

export function fromText(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}

/** A worker by its bare id, everybody else as canonical JSON: most rows are a worker's. */
export function toActor(actor: Actor): string {
  return actor.kind === 'worker' && TOKEN.test(actor.id) ? actor.id : canonicalJson(actor)
}

export function fromActor(text: string): Actor {
  return text.startsWith('{') ? (JSON.parse(text) as Actor) : { kind: 'worker', id: text }
}

/** Labels as a set of pairs, which an index can be asked about. */
export function toLabels(labels: { readonly [name: string]: string }): string[] {
  return Object.entries(labels).map(pair => JSON.stringify(pair))
}

export function fromLabels(pairs: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(pairs.map(pair => JSON.parse(pair) as [string, string]))
}

/** The literal of a `text[]`, for arrays that ride inside an array parameter. */
export function arrayLiteral(items: readonly string[]): string {
  return `{${items.map(item => `"${toText(item).replace(/[\\"]/g, '\\$&')}"`).join(',')}}`
}

/**
 * True where `data::jsonb` keeps the whole value, so reports may look inside: the canonical text escapes neither U+0000 nor
 * half a surrogate pair. (Whole pairs and other characters stand in it unescaped.)
 */
export function isPlain(canonical: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(canonical)
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** Epoch milliseconds as a text that `timestamptz` reads exactly. */
export function toInstant(ms: number): string {
  return new Date(Math.min(ms, LAST_MS)).toISOString()
}

/** The last millisecond that four digits of a year can write. */
const LAST_MS = 253_402_300_799_999
