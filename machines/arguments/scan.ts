// A strict reader of JSON text (RFC 8259): finds the first thing that is wrong, with its place. Mends nothing, builds nothing.

import { survivesDouble } from './number.ts'

/** Bounds of a text. */
export const MAX_TEXT_BYTES = 262_144
export const MAX_DEPTH = 64

export type FaultKind =
  | 'too-large'
  | 'too-deep'
  | 'byte-order-mark'
  | 'syntax'
  /** The text ends before its value does. */
  | 'unfinished'
  /** Something stands behind the value: a second value, or other text. */
  | 'trailing'
  | 'duplicate-key'
  /** A number that a double cannot keep. */
  | 'number'

/** Where and why a text is no JSON that can be kept exactly. */
export type Fault = {
  readonly kind: FaultKind
  /** UTF-16 offset from 0. */
  readonly position: number
}

type Scan = { readonly text: string; at: number }

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
/** What may stand at the end of a text that was cut inside a token. */
const CUT_WORD = /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?)$/
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/

/**
 * The first fault of a JSON text; null when it is one whole value that can be kept exactly.
 *
 * Refused beside what the RFC refuses: keys that are the same once unescaped, numbers that do not survive a double, nesting
 * over MAX_DEPTH, texts over MAX_TEXT_BYTES. Escapes of lone surrogates are kept.
 */
export function scanJson(text: string): Fault | null {
  const scan: Scan = { text, at: 0 }
  if (text.length > MAX_TEXT_BYTES || Buffer.byteLength(text) > MAX_TEXT_BYTES) return fault(scan, 'too-large', MAX_TEXT_BYTES)
  if (text.startsWith('\uFEFF')) return fault(scan, 'byte-order-mark')
  const found = scanValue(scan, 1)
  if (found !== null) return found
  skip(scan, SPACE)
  return scan.at < text.length ? fault(scan, 'trailing') : null
}

function fault(scan: Scan, kind: FaultKind, position = scan.at): Fault {
  return { kind, position }
}

/** A fault of the grammar: where nothing is left, the text was cut. */
function grammarFault(scan: Scan, cut: RegExp = CUT_WORD): Fault {
  const rest = scan.text.slice(scan.at, scan.at + 64)
  return fault(scan, rest === '' || cut.test(rest) ? 'unfinished' : 'syntax')
}

/** Moves behind what the sticky pattern matches here; the matched text, or null. */
function skip(scan: Scan, pattern: RegExp): string | null {
  pattern.lastIndex = scan.at
  const match = pattern.exec(scan.text)
  if (match === null) return null
  scan.at = pattern.lastIndex
  return match[0]
}

/** Moves behind white space and this character, if it is there. */
function take(scan: Scan, character: string): boolean {
  skip(scan, SPACE)
  if (scan.text[scan.at] !== character) return false
  scan.at += 1
  return true
}

function scanValue(scan: Scan, depth: number): Fault | null {
  skip(scan, SPACE)
  const first = scan.text[scan.at]
  if (first === '{' || first === '[') {
    if (depth > MAX_DEPTH) return fault(scan, 'too-deep')
    return first === '{' ? scanObject(scan, depth) : scanArray(scan, depth)
  }
  if (first === '"') return scanString(scan)
  const start = scan.at
  if (skip(scan, WORD) !== null) return null
  const number = skip(scan, NUMBER)
  if (number === null) return grammarFault(scan)
  return survivesDouble(number) ? null : fault(scan, 'number', start)
}

function scanObject(scan: Scan, depth: number): Fault | null {
  scan.at += 1
  if (take(scan, '}')) return null
  const keys = new Set<string>()
  do {
    skip(scan, SPACE)
    const start = scan.at
    if (scan.text[start] !== '"') return grammarFault(scan)
    const broken = scanString(scan)
    if (broken !== null) return broken
    const key = JSON.parse(scan.text.slice(start, scan.at)) as string
    if (keys.has(key)) return fault(scan, 'duplicate-key', start)
    keys.add(key)
    if (!take(scan, ':')) return grammarFault(scan)
    const inner = scanValue(scan, depth + 1)
    if (inner !== null) return inner
  } while (take(scan, ','))
  return take(scan, '}') ? null : grammarFault(scan)
}

function scanArray(scan: Scan, depth: number): Fault | null {
  scan.at += 1
  if (take(scan, ']')) return null
  do {
    const inner = scanValue(scan, depth + 1)
    if (inner !== null) return inner
  } while (take(scan, ','))
  return take(scan, ']') ? null : grammarFault(scan)
}

function scanString(scan: Scan): Fault | null {
  for (scan.at += 1; scan.at < scan.text.length; scan.at += 1) {
    const code = scan.text.charCodeAt(scan.at)
    if (code < 0x20) return fault(scan, 'syntax')
    if (code === 0x22) {
      scan.at += 1
      return null
    }
    if (code !== 0x5c) continue
    if (skip(scan, ESCAPE) === null) return grammarFault(scan, CUT_ESCAPE)
    scan.at -= 1
  }
  return fault(scan, 'unfinished')
}
