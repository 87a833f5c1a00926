// Defaults, applied once and only where the schema declares them without condition: on the way through `properties`, items,
// `allOf` and `$ref`. A default inside an alternative (`anyOf`, `oneOf`, `if`, `not`) would hold for values that do not take it.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { Schema } from './places.ts'
import { spend, StepsSpent, type Meter } from './steps.ts'
import { MAX_SCHEMA_DEPTH, targetOf } from './survey.ts'

type Fill = { readonly root: JsonObject; readonly meter: Meter; readonly matches: (pattern: string, name: string) => boolean }

/** A JSON value that is being prepared and may still be written to. */
export type Draft = null | boolean | number | string | Draft[] | { [key: string]: Draft }

/**
 * Fills a value in.
 *
 * @param value a copy of ours; changed in place
 * @param schema flattened
 * @param matches whether a pattern of `patternProperties` matches a name
 * @throws StepsSpent also where defaults hold defaults without end
 */
export function fillDefaults(value: Draft, schema: Schema, meter: Meter, matches: Fill['matches']): void {
  if (isJsonObject(schema)) fill(value, schema, { root: schema, meter, matches }, 1)
}

function fill(value: Draft, schema: Json | undefined, context: Fill, depth: number): void {
  if (!isJsonObject(schema) || typeof value !== 'object' || value === null) return
  spend(context.meter, 4)
  if (depth > MAX_SCHEMA_DEPTH) throw new StepsSpent()
  if (typeof schema['$ref'] === 'string') fill(value, targetOf(schema['$ref'], context.root), context, depth)
  for (const every of listOf(schema['allOf'])) fill(value, every, context, depth)
  if (Array.isArray(value)) fillItems(value, schema, context, depth + 1)
  else fillProperties(value, schema, context, depth + 1)
}

function fillItems(items: readonly Draft[], schema: JsonObject, context: Fill, depth: number): void {
  const { items: rest } = schema
  const first = listOf(schema['prefixItems'] ?? rest)
  const others = Array.isArray(rest) ? schema['additionalItems'] : rest
  for (const [index, item] of items.entries()) fill(item, index < first.length ? first[index] : others, context, depth)
}

function fillProperties(value: { [key: string]: Draft }, schema: JsonObject, context: Fill, depth: number): void {
  const declared = isJsonObject(schema['properties']) ? schema['properties'] : {}
  for (const [name, inner] of Object.entries(declared)) {
    spend(context.meter, 1)
    if (!Object.hasOwn(value, name) && isJsonObject(inner) && inner['default'] !== undefined) {
      define(value, name, copyJson(inner['default']))
    }
    if (Object.hasOwn(value, name)) fill(value[name] as Draft, inner, context, depth)
  }
  const patterns = Object.entries(isJsonObject(schema['patternProperties']) ? schema['patternProperties'] : {})
  const others = schema['additionalProperties']
  if (patterns.length === 0 && !isJsonObject(others)) return
  for (const [name, held] of Object.entries(value)) {
    if (typeof held !== 'object' || held === null) continue
    const matching = patterns.filter(([pattern]) => context.matches(pattern, name))
    for (const [, inner] of matching) fill(held, inner, context, depth)
    if (matching.length === 0 && !Object.hasOwn(declared, name)) fill(held, others, context, depth)
  }
}

function listOf(schemas: Json | undefined): readonly Json[] {
  return Array.isArray(schemas) ? (schemas as readonly Json[]) : []
}

/** Sets an own property, also one that is called `__proto__`. */
function define(object: { [key: string]: Draft }, name: string, value: Draft): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

/** A deep copy to write to. `-0` becomes `0`, as it does in every text, so that live and recovered arguments are the same. */
export function copyJson(value: Json): Draft {
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyJson(inner)]))
}
