// Comparing what came with what was expected: as a whole, or at least so much.

import { canonicalJson, isJsonObject } from '../../machines/json.ts'

/** The same JSON value, whatever the order of its keys. */
export function isSame(expected: unknown, actual: unknown): boolean {
  return canonicalJson(expected ?? null) === canonicalJson(actual ?? null)
}

/** True when all that is expected of an object is there; more may be. Lists are compared item by item. */
export function holds(actual: unknown, expected: unknown): boolean {
  if (isJsonObject(expected)) {
    return isJsonObject(actual) && Object.entries(expected).every(([key, inner]) => Object.hasOwn(actual, key) && holds(actual[key], inner))
  }
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length && expected.every((inner, index) => holds(actual[index], inner))
  }
  return isSame(expected, actual)
}
