// Patterns of schemas, in an engine that takes linear time (RE2). What it cannot do (lookahead, back references) is refused.

import type { RegExpEngine, RegExpLike } from 'ajv/dist/types/index.js'
import { RE2JS } from 're2js'
import { SchemaRefused } from './refused.ts'
import { spend, type Meter } from './steps.ts'

/** Bounds of one pattern and of all patterns of a schema: they bound what compiling costs. */
const MAX_PATTERN = 1_024
const MAX_ALL_PATTERNS = 4_096
/** Instructions of the compiled patterns: they bound what one character costs. */
const MAX_INSTRUCTIONS = 8_000
/** Length times the largest repetition: what may have to be unrolled to find out how large a pattern is. */
const MAX_UNROLLED = 100_000
const MAX_UNICODE_CLASSES = 64

/** A pattern and its price: engines of automata pay for each character by the states they are in. */
type Compiled = { readonly regex: RE2JS; readonly stepsPerCharacter: number }

/**
 * The engine that ajv takes its patterns from.
 *
 * @throws SchemaRefused for a pattern that is out of bounds or not supported
 */
export function patternEngine(meter: Meter): RegExpEngine {
  const compiled = new Map<string, Compiled>()
  const budget = { characters: MAX_ALL_PATTERNS, instructions: MAX_INSTRUCTIONS, classes: MAX_UNICODE_CLASSES }
  const engine = (pattern: string): RegExpLike => {
    const known = compiled.get(pattern) ?? compilePattern(pattern, budget)
    compiled.set(pattern, known)
    const { regex, stepsPerCharacter } = known
    return {
      test: (text: string) => {
        spend(meter, (text.length + 1) * stepsPerCharacter)
        return regex.test(text)
      },
      // ajv takes patterns of one text for the same.
      toString: () => `/${pattern}/u`,
    } as RegExpLike
  }
  return Object.assign(engine, { code: 'toolturn:pattern' })
}

function compilePattern(pattern: string, budget: { characters: number; instructions: number; classes: number }): Compiled {
  budget.characters -= pattern.length
  budget.classes -= pattern.match(/\\p/gi)?.length ?? 0
  if (pattern.length > MAX_PATTERN || budget.characters < 0 || budget.classes < 0) throw new SchemaRefused('its patterns are too long')
  if (pattern.length * largestRepetition(pattern) > MAX_UNROLLED) throw new SchemaRefused('a pattern of it repeats too much')
  if (/\(\?[a-z]*-?[a-z]+[:)]/i.test(pattern)) throw new SchemaRefused('a pattern of it sets flags')
  const regex = compileLinear(pattern)
  const size = regex.programSize()
  budget.instructions -= size
  if (budget.instructions < 0) throw new SchemaRefused('its patterns are too large')
  return { regex, stepsPerCharacter: 4 + size / 8 }
}

function largestRepetition(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)]
  return Math.max(1, ...counts.flatMap(([, from, to]) => [Number(from), Number(to ?? 0)]))
}

function compileLinear(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch {
    throw new SchemaRefused('a pattern of it is not supported (lookaround, back references and repetitions over 1000 are not)')
  }
}
