// The JSON values that events, arguments and results are made of, and the one canonical text of each.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/**
 * Canonical text of a value: RFC 8785 (keys sorted by UTF-16 code unit, shortest numbers), but for lone surrogates, which are
 * written as `\udXXX` escapes, where the RFC refuses them. Equal values have equal texts, so texts can be hashed and compared.
 * Keys whose value is `undefined` are left out, as JSON.stringify does.
 *
 * @throws TypeError when the value holds something that is not JSON (NaN, Infinity, a bigint, a function)
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return canonicalArray(value)
  if (typeof value === 'object' && value !== null) return canonicalObject(value as Record<string, unknown>)
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return JSON.stringify(value)
  throw new TypeError(`not a JSON value: ${typeof value}`)
}

function canonicalArray(items: readonly unknown[]): string {
  let text = ''
  for (const item of items) text += text === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
  return `[${text}]`
}

function canonicalObject(members: Record<string, unknown>): string {
  let text = ''
  for (const key of sortedKeys(members)) {
    const member = members[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${canonicalKey(key)}${canonicalJson(member)}`
  }
  return `{${text}}`
}

/** Most objects that come here were canonical before, and their keys are in order. */
function sortedKeys(members: object): readonly string[] {
  const keys = Object.keys(members)
  const ordered = keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key)
  return ordered ? keys : keys.sort()
}

/** The keys of our own vocabulary come again and again; a bounded number of them is kept quoted. */
const quotedKeys = new Map<string, string>()
const QUOTED_KEYS = 1_000
const QUOTED_CHARACTERS = 32

function canonicalKey(key: string): string {
  const known = quotedKeys.get(key)
  if (known !== undefined) return known
  const quoted = `${JSON.stringify(key)}:`
  if (quotedKeys.size < QUOTED_KEYS && key.length <= QUOTED_CHARACTERS) quotedKeys.set(key, quoted)
  return quoted
}

/** True for a JSON object; false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Freezes a JSON value all the way down and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
