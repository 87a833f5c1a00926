// An outside schema rewritten into the one form that is compiled: known keywords only, weights for the meter, and what `$ref`
// points at in one flat list. What is not in the list of keywords below can do nothing, whatever a validator makes of it.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isCheckedFormat } from './formats.ts'
import { holdsSchemas, placesOf, withPlaces, type Schema } from './places.ts'
import { pointerOf, resolvePointer } from './pointers.ts'
import { SchemaRefused } from './refused.ts'
import { STEPS_KEYWORD } from './steps.ts'

/** Keywords that assert something by themselves, and `default`. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'default',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'format',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'required',
  'dependentRequired',
])

export type FlatSchema = {
  readonly schema: Schema
  /** Every property name that the schema speaks of: these may be shown to a model, all others are the model's own. */
  readonly names: ReadonlySet<string>
}

type Work = {
  /** By pointer: the name in the flat list, and the schema once it was rewritten. */
  readonly targets: Map<string, { readonly name: string; schema: Schema | null }>
  readonly names: Set<string>
}

/** @throws SchemaRefused where it is malformed, or refers to something outside itself */
export function flatten(root: Schema): FlatSchema {
  const work: Work = { targets: new Map(), names: new Set() }
  const schema = rewrite(root, work)
  for (const [pointer, target] of work.targets) {
    const found = resolvePointer(root, pointer)
    if (found === undefined) throw new SchemaRefused('a reference of it points at nothing')
    target.schema = rewrite(found, work)
  }
  const definitions = [...work.targets.values()].map(({ name, schema: rewritten }) => [name, rewritten] as const)
  if (typeof schema === 'boolean' || definitions.length === 0) return { schema, names: work.names }
  return { schema: { ...schema, $defs: Object.fromEntries(definitions) as JsonObject }, names: work.names }
}

function rewrite(schema: Json | undefined, work: Work): Schema {
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema)) throw new SchemaRefused('it holds something else where a schema must stand')
  if (Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef')) throw new SchemaRefused('it uses dynamic references')
  noteNames(schema, work.names)
  const inside = withPlaces(schema, place => rewrite(place.schema, work))
  const kept = Object.entries(inside).filter(([keyword, value]) => holdsSchemas(keyword) || isOwn(keyword, value))
  return {
    ...Object.fromEntries(kept),
    ...nullableType(schema),
    ...(Object.hasOwn(schema, '$ref') ? { $ref: reference(schema['$ref'], work) } : {}),
    [STEPS_KEYWORD]: weightOf(schema),
  }
}

/** What one look of this schema at a value costs: its own words, and one for each schema inside it. */
function weightOf(schema: JsonObject): number {
  const own = Object.entries(schema).filter(([keyword]) => OWN_KEYWORDS.has(keyword) && keyword !== 'default')
  return own.reduce((sum, [, value]) => sum + countNodes(value), 4 + placesOf(schema).length)
}

function isOwn(keyword: string, value: Json): boolean {
  return OWN_KEYWORDS.has(keyword) && (keyword !== 'format' || isCheckedFormat(value))
}

/** `nullable: true` beside `type` admits null, in every dialect; elsewhere it says nothing. */
function nullableType(schema: JsonObject): JsonObject {
  const { type } = schema
  if (schema['nullable'] !== true || type === undefined) return {}
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type]
  return { type: types.includes('null') ? types : [...types, 'null'] }
}

function noteNames(schema: JsonObject, names: Set<string>): void {
  for (const keyword of ['properties', 'dependentSchemas', 'dependentRequired', 'dependencies']) {
    const map = schema[keyword]
    if (!isJsonObject(map)) continue
    for (const [name, held] of Object.entries(map)) noteAll([name, ...(Array.isArray(held) ? (held as readonly Json[]) : [])], names)
  }
  if (Array.isArray(schema['required'])) noteAll(schema['required'] as readonly Json[], names)
}

function noteAll(words: readonly Json[], names: Set<string>): void {
  for (const word of words) if (typeof word === 'string') names.add(word)
}

/** The reference in the flat list; the target is rewritten later, once, however many refer to it. */
function reference(given: Json | undefined, work: Work): string {
  const pointer = pointerOf(given)
  if (pointer === null) throw new SchemaRefused('it refers to something outside itself')
  const known = work.targets.get(pointer)
  if (known !== undefined) return `#/$defs/${known.name}`
  const name = `d${work.targets.size}`
  work.targets.set(pointer, { name, schema: null })
  return `#/$defs/${name}`
}

function countNodes(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner: Json) => sum + countNodes(inner), 1)
}
