// Raw argument text to an object, by the letter (gate `arguments`). Nothing is repaired, coerced or unwrapped.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { MAX_DEPTH, MAX_TEXT_BYTES, scanJson, type Fault, type FaultKind } from './scan.ts'
import { parseJson } from '../json-text.ts'

export type ReadProblem = {
  readonly kind: FaultKind | 'not-an-object'
  /** UTF-16 offset from 0. */
  readonly position: number
  /** Host-written: kind and position, nothing of what was read; no path, since its keys would be the model's own words. */
  readonly text: string
}

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: ReadProblem }

const BLANK = /^[ \t\n\r]*$/

/** What the problem is, in a sentence for the model. */
function sentence(kind: FaultKind, position: number): string {
  const place = `at character ${position}`
  switch (kind) {
    case 'too-large':
      return `The text is longer than ${MAX_TEXT_BYTES} bytes.`
    case 'too-deep':
      return `The value is nested more than ${MAX_DEPTH} levels deep, ${place}.`
    case 'byte-order-mark':
      return 'The text begins with a byte-order mark.'
    case 'syntax':
      return `The text is not valid JSON ${place}.`
    case 'unfinished':
      return `The text ends ${place}, before its JSON value is complete.`
    case 'trailing':
      return `The text goes on ${place}, behind its first JSON value; exactly one value is allowed.`
    case 'duplicate-key':
      return `An object holds the same key twice; the second one stands ${place}.`
    case 'number':
      return `The number ${place} cannot be kept exactly. Write a long identifier as a string, or a number with fewer digits.`
  }
}

function problemOf(fault: Fault): ReadProblem {
  const { kind, position } = fault
  return { kind, position, text: sentence(kind, position) }
}

/**
 * Reads one JSON value of any kind, for output that was asked for.
 *
 * @returns the value exactly as written, or the first problem
 */
export function readJson(text: string): Read<Json> {
  const fault = scanJson(text)
  if (fault !== null) return { ok: false, problem: problemOf(fault) }
  return { ok: true, value: parseJson(text) }
}

/**
 * Reads the argument text of a call. Empty, blank or absent text is `{}` (whether the round was clean is the gate before).
 *
 * @param text as the provider sent it; null where it sent none
 */
export function readArguments(text: string | null): Read<JsonObject> {
  if (text === null || BLANK.test(text)) return { ok: true, value: {} }
  const read = readJson(text)
  if (!read.ok) return read
  if (isJsonObject(read.value)) return { ok: true, value: read.value }
  return { ok: false, problem: { kind: 'not-an-object', position: 0, text: 'The text is valid JSON but not an object.' } }
}
