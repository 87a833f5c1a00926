// A schema, compiled: one function from a value to its prepared copy or to what does not fit. Schemas come from outside and may
// be hostile; everything that compiling and validating may cost is bounded before it is spent (G6).

import type { ValidateFunction } from 'ajv'
import { deepFreeze, type Json } from '../json.ts'
import { copyJson, fillDefaults } from './defaults.ts'
import { dialectOf, validatorFor, type Dialect } from './dialects.ts'
import { flatten, type FlatSchema } from './flatten.ts'
import { patternEngine } from './patterns.ts'
import type { Schema } from './places.ts'
import type { Problem } from './problem.ts'
import { problemsOf } from './problems.ts'
import { SchemaRefused } from './refused.ts'
import { BASE_STEPS, CHARACTERS_PER_UNIT, STEPS_PER_UNIT, StepsSpent, type Meter } from './steps.ts'
import { boundedText, MAX_SCHEMA_DEPTH, survey } from './survey.ts'
import { parseJson } from '../json-text.ts'

export type Validated =
  /** `value`: a frozen copy of its own, with the declared defaults. */
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problems: readonly Problem[] }

export type CompiledSchema =
  | { readonly ok: true; readonly validate: (value: Json) => Validated }
  /** Why no value can be judged by it, for people and in words of ours: the tool is quarantined. */
  | { readonly ok: false; readonly reason: string }

/** Values deeper than this are not judged. */
const MAX_VALUE_DEPTH = MAX_SCHEMA_DEPTH
/** Further problems are looked for where the schema has at most so many places; it is compiled once more for that. */
const EXPLAINED_SCHEMAS = 512
/** What that may cost, once a value was found not to fit. */
const EXPLAIN_STEPS = 50_000

/**
 * Compiles an outside schema: 2020-12, or draft-04 or draft-07 by its `$schema`.
 *
 * Stated behaviour: types are never coerced and null is never taken out; defaults are applied once, where they are declared
 * without condition; `nullable: true` beside `type` admits null; unknown keywords and unknown formats check nothing; keywords
 * beside `$ref` apply; `$id` and `id` are left out; a reference must point into the schema. Refused: over 64 kB or 64 levels,
 * over 2,048 schemas in all or looking at one value, over 512 in one, references that lead back to themselves or nest over 256
 * schemas, patterns that a linear engine cannot run.
 *
 * Never throws, whatever it is given. Validating neither throws nor stalls: what it may cost is counted, and a value that
 * costs more does not fit.
 */
export function compileSchema(schema: unknown): CompiledSchema {
  try {
    const copy = parseJson(boundedText(schema)) as Schema
    const dialect = dialectOf(copy)
    const flat = flatten(copy)
    const schemas = survey(flat.schema)
    return { ok: true, validate: validating(flat, dialect, schemas <= EXPLAINED_SCHEMAS) }
  } catch (thrown) {
    return { ok: false, reason: `The schema cannot be used: ${whyRefused(thrown)}.` }
  }
}

/** The compiler's own message names the keyword that is malformed. */
function whyRefused(thrown: unknown): string {
  if (thrown instanceof SchemaRefused) return thrown.message
  return thrown instanceof Error ? `it is malformed (${thrown.message.slice(0, 200)})` : 'it is malformed'
}

function validating(flat: FlatSchema, dialect: Dialect, explains: boolean): (value: Json) => Validated {
  const meter: Meter = { left: 0 }
  const fits = validatorFor(dialect, meter, false).compile(flat.schema)
  const patterns = patternEngine(meter)
  const matches = (pattern: string, name: string): boolean => patterns(pattern, 'u').test(name)
  let explain: ValidateFunction | null = null

  return value => {
    const size = sizeOf(value, 1)
    if (size === null) return outOfBounds(`a value nested at most ${MAX_VALUE_DEPTH} levels deep`)
    const draft = copyJson(value)
    meter.left = BASE_STEPS + size * STEPS_PER_UNIT
    const fitting = within(() => {
      fillDefaults(draft, flat.schema, meter, matches)
      return fits(draft)
    })
    if (fitting === null) return outOfBounds('a smaller value: this one takes too long to check')
    if (fitting) return { ok: true, value: deepFreeze(draft) as Json }
    const first = fits.errors ?? []
    if (explains) explain ??= validatorFor(dialect, meter, true).compile(flat.schema)
    meter.left = EXPLAIN_STEPS
    const more = within(() => explain?.(draft) === false) === true ? explain?.errors : null
    return { ok: false, problems: problemsOf(more ?? first, draft, flat.names) }
  }
}

/** Runs a judgement; null when its steps were spent, or the defaults it filled in had no end. */
function within(judge: () => boolean): boolean | null {
  try {
    return judge()
  } catch (thrown) {
    if (thrown instanceof StepsSpent || thrown instanceof RangeError) return null
    throw thrown
  }
}

function outOfBounds(expected: string): Validated {
  return { ok: false, problems: [{ path: '', keyword: 'limit', expected }] }
}

/** Values and stretches of text in a value; null when it is too deep. */
function sizeOf(value: Json, depth: number): number | null {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT
  if (typeof value !== 'object' || value === null) return 1
  if (depth > MAX_VALUE_DEPTH) return null
  let size = 1
  for (const inner of Object.values(value) as readonly Json[]) {
    const part = sizeOf(inner, depth + 1)
    if (part === null) return null
    size += part
  }
  return size
}
