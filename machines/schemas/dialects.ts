// The three dialects, chosen by `$schema`, and how each is set up for schemas from outside.

import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import draft04 from 'ajv-draft-04'
import { canonicalJson, isJsonObject, type Json } from '../json.ts'
import { FORMATS } from './formats.ts'
import { patternEngine } from './patterns.ts'
import type { Schema } from './places.ts'
import { SchemaRefused } from './refused.ts'
import { addMeter, spend, type Meter } from './steps.ts'

export type Dialect = 'draft-04' | 'draft-07' | '2020-12'

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft-04/schema', 'draft-04'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
])

/** @throws SchemaRefused for a dialect that is none of the three */
export function dialectOf(schema: Schema): Dialect {
  if (!isJsonObject(schema) || schema['$schema'] === undefined) return '2020-12'
  const { $schema } = schema
  const dialect = typeof $schema === 'string' ? DIALECTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
  if (dialect === undefined) throw new SchemaRefused('its dialect is not draft-04, draft-07 or 2020-12')
  return dialect
}

/**
 * A validator for one schema. Each schema has its own, so no `$id` can meet another one, and nothing is kept once it is let go.
 *
 * Meta-schemas are not consulted: `flatten` has checked where schemas stand, and ajv checks the value of each keyword.
 *
 * @param allErrors false: stops at the first thing that does not fit
 */
export function validatorFor(dialect: Dialect, meter: Meter, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: false,
    coerceTypes: false,
    useDefaults: false,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    messages: false,
    logger: false,
    formats: { ...FORMATS },
    code: { optimize: false, regExp: patternEngine(meter) },
  }
  const ajv = newAjv(dialect, options)
  addMeter(ajv, meter)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: areUnique(meter) })
  return ajv
}

function newAjv(dialect: Dialect, options: Options): Ajv {
  switch (dialect) {
    case 'draft-04':
      return new draft04.default(options)
    case 'draft-07':
      return new Ajv(options)
    case '2020-12':
      return new Ajv2020(options)
  }
}

/** Compares texts, in linear time: comparing every pair would be quadratic. */
function areUnique(meter: Meter): (unique: boolean, items: readonly Json[]) => boolean {
  return (unique, items) => {
    if (!unique) return true
    const texts = new Set<string>()
    for (const item of items) {
      const text = canonicalJson(item)
      spend(meter, 8 + text.length / 4)
      texts.add(text)
    }
    return texts.size === items.length
  }
}
