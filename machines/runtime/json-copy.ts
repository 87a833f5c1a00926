// A JSON value copied out of a live object: every member is read once, so what was checked is what is used.

import type { Json } from '../json.ts'

const MAX_DEPTH = 256

/**
 * The copy. Members that are `undefined` are left out, as JSON.stringify does.
 *
 * @param nodes how many values it may hold, so that neither a cycle nor a shared part is copied without end
 * @throws TypeError where something is no JSON value (a Date, a bigint, a class), is nested too deep or is too much
 */
export function takeJson(value: unknown, nodes: number): Json {
  let left = nodes
  const copy = (given: unknown, depth: number): Json => {
    left -= 1
    if (left < 0 || depth > MAX_DEPTH) throw new TypeError('too much for a JSON value')
    if (given === null || typeof given === 'string' || typeof given === 'boolean') return given
    if (typeof given === 'number' && Number.isFinite(given)) return given
    if (Array.isArray(given)) {
      if (given.length > left) throw new TypeError('too much for a JSON value')
      return Array.from(given as readonly unknown[], item => copy(item, depth + 1))
    }
    if (!isPlainObject(given)) throw new TypeError(`not a JSON value: ${typeof given}`)
    const members: [string, Json][] = []
    for (const name of Object.keys(given)) {
      const member = given[name]
      if (member !== undefined) members.push([name, copy(member, depth + 1)])
    }
    return Object.fromEntries(members)
  }
  return copy(value, 0)
}

/** An object as a literal makes it, of whatever realm; no Date, Map or class. */
export function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
