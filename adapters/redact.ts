// Redaction: what is recorded, published, shown and sent back to the model holds no secret that can be known for one (D11).
// Four ways to know: the schema declares it, its field is called so, the host named the value, or its form shows it.

import { RE2JS } from 're2js'
import { readJson } from '../machines/arguments/read.ts'
import { ToolturnError } from '../machines/errors.ts'
import type { Json, JsonObject } from '../machines/json.ts'
import type { Redactor } from '../machines/ports/world.ts'
import { maskDeclared } from '../machines/schemas/secrets.ts'
import { MASK, maskDetected } from './redaction/detectors.ts'
import { fieldKey, isSecretField } from './redaction/fields.ts'

export type RedactOptions = {
  /** Secrets that the host knows, each of at least 4 characters: masked wherever they stand, also written as JSON, URL or base64. */
  readonly values?: readonly string[]
  /** Further patterns in the syntax of RE2; what they match is masked. */
  readonly detectors?: readonly string[]
  /** Further names of secret fields, compared without case, `_` and `-`. */
  readonly fields?: readonly string[]
}

type Rules = {
  readonly values: readonly string[]
  readonly patterns: readonly RE2JS[]
  readonly fields: ReadonlySet<string>
}

const MIN_VALUE = 4
/** What a pattern of the host matches is taken to be at most so long, while a text still grows. */
const PATTERN_REACH = 256
/** JSON inside a text inside JSON …: looked into so far. */
const MAX_WRAPPINGS = 3
/** Deeper than anything that is recorded. */
const MAX_DEPTH = 256

/**
 * Makes the redactor of a runtime. Masking twice is masking once. A masked value is `[redacted]`, whole, whatever it was.
 *
 * @throws ToolturnError `option_invalid`; the details never hold a value
 */
export function createRedactor(options: RedactOptions = {}): Redactor {
  const rules: Rules = {
    values: knownForms(options.values ?? []),
    patterns: (options.detectors ?? []).map(compileDetector),
    fields: new Set((options.fields ?? []).map(fieldKey)),
  }
  return {
    value: (value, schema) => {
      const declared = schema === undefined ? value : maskDeclared(value, schema, MASK)
      const masked = maskValue(declared, rules, 0, 0)
      return { value: masked, changed: masked !== value }
    },
    text: text => {
      const masked = maskText(text, rules, 0)
      return { text: masked, changed: masked !== text }
    },
    reach: Math.max(rules.values[0]?.length ?? 0, rules.patterns.length > 0 ? PATTERN_REACH : 0),
  }
}

/** Each value as it may be written, the longest first, so that no value hides a longer one that begins like it. */
function knownForms(values: readonly string[]): readonly string[] {
  const unfit = values.findIndex(value => value.length < MIN_VALUE || MASK.includes(value))
  if (unfit !== -1) {
    const what = `Value ${unfit} to redact is shorter than ${MIN_VALUE} characters, or a part of the mask itself.`
    throw new ToolturnError('option_invalid', what, { option: 'redact.values', index: unfit })
  }
  const forms = values.flatMap(value => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    Buffer.from(value).toString('base64'),
  ])
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

function compileDetector(pattern: string, index: number): RE2JS {
  const invalid = (why: string): ToolturnError =>
    new ToolturnError('option_invalid', `Detector ${index} to redact by ${why}.`, { option: 'redact.detectors', index })
  try {
    const compiled = RE2JS.compile(pattern)
    if (compiled.test('') || compiled.test(MASK)) throw invalid('matches the empty text or the mask itself')
    return compiled
  } catch (thrown) {
    throw thrown instanceof ToolturnError ? thrown : invalid('is no RE2 pattern')
  }
}

function maskText(text: string, rules: Rules, wrappings: number): string {
  const inside = maskInside(text, rules, wrappings)
  const known = rules.values.reduce((masked, value) => masked.replaceAll(value, MASK), inside)
  return rules.patterns.reduce((masked, pattern) => pattern.matcher(masked).replaceAll(MASK), maskDetected(known))
}

/** A text that is JSON as a whole is masked by its fields as well. */
function maskInside(text: string, rules: Rules, wrappings: number): string {
  if (wrappings >= MAX_WRAPPINGS || !/^\s*[[{]/.test(text)) return text
  const read = readJson(text)
  if (!read.ok) return text
  const masked = maskValue(read.value, rules, wrappings + 1, 0)
  return masked === read.value ? text : JSON.stringify(masked)
}

/** The same value where nothing was masked. */
function maskValue(value: Json, rules: Rules, wrappings: number, depth: number): Json {
  if (typeof value === 'string') return maskText(value, rules, wrappings)
  if (typeof value === 'number') return rules.values.includes(String(value)) ? MASK : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return MASK
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => maskValue(item, rules, wrappings, depth + 1))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  return maskMembers(value as JsonObject, rules, wrappings, depth)
}

function maskMembers(value: JsonObject, rules: Rules, wrappings: number, depth: number): JsonObject {
  const masked = new Map<string, Json>()
  for (const [name, held] of Object.entries(value)) {
    const secret = isSecretField(name, rules.fields) && holdsSomething(held)
    masked.set(freeName(maskText(name, rules, MAX_WRAPPINGS), masked), secret ? MASK : maskValue(held, rules, wrappings, depth + 1))
  }
  const same = [...masked].every(([name, held]) => Object.hasOwn(value, name) && value[name] === held)
  return same ? value : Object.fromEntries(masked)
}

/** Two masked names do not become one. */
function freeName(name: string, taken: ReadonlyMap<string, Json>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  return free
}

/** Null, a yes or no and an empty text tell nothing, and say whether something is there. */
function holdsSomething(value: Json): boolean {
  return value !== null && value !== '' && typeof value !== 'boolean'
}
