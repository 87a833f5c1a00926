// Any JavaScript value to a JSON value: what is shown is what is stored. Never throws but for size, whatever the value does.

import type { Json } from '../json.ts'

/** Bounds of one returned value. In memory a small value can name itself, or one part a million times. */
const MAX_VALUES = 1_000_000
const MAX_CHARACTERS = 33_554_432
const MAX_DEPTH = 128

const UNREADABLE = '[unreadable]'
const CIRCULAR = '[circular]'
const TOO_DEEP = '[nested too deep]'

/** The value is larger than anything that could be kept. */
export class ValueTooLarge extends Error {}

type Cleaning = { values: number; characters: number; readonly around: Set<object> }

/**
 * The JSON that a value amounts to; undefined for what JSON leaves out (undefined, functions, symbols).
 *
 * As JSON.stringify has it, and where that would fail or lose: `NaN` and infinities are their names, a bigint its digits, a Map
 * an object or a list of pairs, a Set a list, bytes base64, an error its name and message; what refers to itself, throws when it
 * is read, or is nested too deep is a word in brackets. `-0` is `0`.
 *
 * @throws ValueTooLarge
 */
export function cleanJson(value: unknown): Json | undefined {
  return clean(value, { values: 0, characters: 0, around: new Set() })
}

function clean(value: unknown, cleaning: Cleaning): Json | undefined {
  cleaning.values += 1
  if (cleaning.values > MAX_VALUES) throw new ValueTooLarge()
  switch (typeof value) {
    case 'string':
      return counted(value, cleaning)
    case 'number':
      return Number.isFinite(value) ? value + 0 : String(value)
    case 'bigint':
      return counted(String(value), cleaning)
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : cleanObject(value, cleaning)
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined
  }
}

function counted(text: string, cleaning: Cleaning): string {
  cleaning.characters += text.length
  if (cleaning.characters > MAX_CHARACTERS) throw new ValueTooLarge()
  return text
}

function cleanObject(value: object, cleaning: Cleaning): Json | undefined {
  if (cleaning.around.has(value)) return CIRCULAR
  if (cleaning.around.size >= MAX_DEPTH) return TOO_DEEP
  cleaning.around.add(value)
  try {
    return cleanKind(value, cleaning)
  } catch (thrown) {
    if (thrown instanceof ValueTooLarge) throw thrown
    return UNREADABLE
  } finally {
    cleaning.around.delete(value)
  }
}

/** Tags tell kinds apart in every realm, which `instanceof` does not. */
const BOXED: ReadonlySet<string> = new Set(['[object Number]', '[object String]', '[object Boolean]', '[object BigInt]'])

function cleanKind(value: object, cleaning: Cleaning): Json | undefined {
  if (Array.isArray(value)) return cleanList(value, cleaning)
  const tag = Object.prototype.toString.call(value)
  if (tag === '[object Map]') return cleanMap(value as ReadonlyMap<unknown, unknown>, cleaning)
  if (tag === '[object Set]') return cleanList(value as ReadonlySet<unknown>, cleaning)
  if (tag === '[object ArrayBuffer]' || ArrayBuffer.isView(value)) return cleanBytes(value as ArrayBuffer | ArrayBufferView, cleaning)
  if (isErrorLike(value)) return { name: counted(value.name, cleaning), message: counted(value.message, cleaning) }
  if (tag === '[object RegExp]') return counted(RegExp.prototype.toString.call(value), cleaning)
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return clean(toJSON.call(value, ''), cleaning)
  if (BOXED.has(tag)) return clean(value.valueOf(), cleaning)
  return cleanMembers(value, cleaning)
}

function cleanList(items: Iterable<unknown>, cleaning: Cleaning): Json {
  const cleaned: Json[] = []
  for (const item of items) cleaned.push(clean(item, cleaning) ?? null)
  return cleaned
}

function cleanMap(map: ReadonlyMap<unknown, unknown>, cleaning: Cleaning): Json {
  const entries = cleanList(map, cleaning) as readonly (readonly [Json, Json])[]
  const named = entries.filter((entry): entry is readonly [string, Json] => typeof entry[0] === 'string')
  return named.length === entries.length ? Object.fromEntries(named) : entries
}

/** Bytes as base64; arrays of wider numbers as lists. */
function cleanBytes(value: ArrayBuffer | ArrayBufferView, cleaning: Cleaning): Json {
  if (!ArrayBuffer.isView(value)) return counted(Buffer.from(value).toString('base64'), cleaning)
  const tag = Object.prototype.toString.call(value)
  if (tag !== '[object Uint8Array]' && tag !== '[object DataView]') return cleanList(value as unknown as Iterable<unknown>, cleaning)
  return counted(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'), cleaning)
}

function cleanMembers(value: object, cleaning: Cleaning): Json {
  const members: [string, Json][] = []
  for (const key of Object.keys(value)) {
    const member = clean(readMember(value, key), cleaning)
    if (member !== undefined) members.push([counted(key, cleaning), member])
  }
  return Object.fromEntries(members)
}

function readMember(value: object, key: string): unknown {
  try {
    return (value as { readonly [key: string]: unknown })[key]
  } catch {
    return UNREADABLE
  }
}

/** An error, also one of another realm: its stack is nobody's business. */
function isErrorLike(value: object): value is { readonly name: string; readonly message: string } {
  const { name, message, stack } = value as { readonly [key: string]: unknown }
  return typeof name === 'string' && typeof message === 'string' && (value instanceof Error || typeof stack === 'string')
}

/** `isErrorLike` of anything; false for what cannot be looked at. */
export function isError(value: unknown): boolean {
  try {
    return typeof value === 'object' && value !== null && isErrorLike(value)
  } catch {
    return false
  }
}
