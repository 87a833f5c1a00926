// What judging a value may cost. Every schema that is applied to a value is charged before it looks; a spent meter stops the
// judgement. Counted and not timed, so the verdict is the same on every machine.
//
// This is what holds schemas whose work grows with the depth of the value: recursion through several branches, long texts
// against many patterns, lists of alternatives over lists of items. What grows with the schema alone is refused by `survey`.

import type { Ajv, CodeKeywordDefinition } from 'ajv'
import { _ } from 'ajv/dist/compile/codegen/index.js'

/** Steps of one judgement; a step is worth a few dozen nanoseconds. */
export const BASE_STEPS = 1_000_000
/** Further steps for each unit of the value's size, so that long plain values fit. */
export const STEPS_PER_UNIT = 16
/** Characters of a text that count as one unit. */
export const CHARACTERS_PER_UNIT = 16

export type Meter = { left: number }

/** The meter is spent. */
export class StepsSpent extends Error {}

export function spend(meter: Meter, steps: number): void {
  meter.left -= steps
  if (meter.left < 0) throw new StepsSpent()
}

/** The keyword that charges; its value is the weight of the schema it stands in. Outside schemas cannot hold it. */
export const STEPS_KEYWORD = 'toolturn:steps'

/** Looks that one schema may take at a value: at every item or key, and at every character of a text by its length bounds. */
function looks(weight: number, value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_UNIT
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.length
  return Object.keys(value).length * (1 + weight / 32)
}

/** Charges the meter before any other keyword of a schema is looked at. */
export function addMeter(ajv: Ajv, meter: Meter): void {
  const charge = (weight: number, value: unknown): void => spend(meter, weight + looks(weight, value))
  const keyword: CodeKeywordDefinition = {
    keyword: STEPS_KEYWORD,
    schemaType: 'number',
    code: ({ gen, schemaCode, data }) => {
      gen.code(_`${gen.scopeValue('func', { ref: charge })}(${schemaCode}, ${data})`)
    },
  }
  ajv.addKeyword(keyword)
  // Rules stand in groups by the type they are for. Those for every type come first, and of these the meter.
  const { rules } = ajv.RULES
  rules.sort((a, b) => Number(a.type !== undefined) - Number(b.type !== undefined))
  rules[0]?.rules.sort((a, b) => Number(b.keyword === STEPS_KEYWORD) - Number(a.keyword === STEPS_KEYWORD))
}
