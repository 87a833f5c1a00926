// What a schema would cost before any value is seen: its size, its depth, and how many schemas look at one and the same value.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../json.ts'
import { placesOf, type Schema } from './places.ts'
import { SchemaRefused } from './refused.ts'

const MAX_SCHEMA_BYTES = 65_536
export const MAX_SCHEMA_DEPTH = 64
/** Schemas inside one schema, and right inside one: they bound the code that is generated, and how deep its branches nest. */
const MAX_SCHEMAS = 2_048
const MAX_SCHEMAS_INSIDE = 512
/** Schemas inside schemas, references followed: each is compiled inside the one that first leads to it. */
const MAX_SCHEMA_NESTING = 256
/** Schemas that may look at one value, all references followed: alternatives of alternatives multiply. */
const MAX_SCHEMAS_AT_ONCE = 2_048

/**
 * The canonical text of a schema of bearable size.
 *
 * @throws SchemaRefused where it is too large or too deep, or no JSON
 */
export function boundedText(schema: unknown): string {
  measure(schema, 1, { left: MAX_SCHEMA_BYTES })
  const text = canonicalJson(schema)
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) throw new SchemaRefused(`it is larger than ${MAX_SCHEMA_BYTES} bytes`)
  return text
}

/** Counts values before a text is made of them: in memory a value can hold itself, or one part many times. */
function measure(value: unknown, depth: number, values: { left: number }): void {
  values.left -= 1
  if (values.left < 0) throw new SchemaRefused(`it is larger than ${MAX_SCHEMA_BYTES} bytes`)
  if (depth > MAX_SCHEMA_DEPTH) throw new SchemaRefused(`it is nested more than ${MAX_SCHEMA_DEPTH} levels deep`)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new SchemaRefused('it is no JSON')
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') throw new SchemaRefused('it is no JSON')
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) measure(inner, depth + 1, values)
}

/**
 * Counts, for every schema of a flattened one, how many look at the same value when it does.
 *
 * A reference that comes back to its own schema before a part of the value was entered would never end; one that enters a
 * part is ordinary recursion.
 *
 * @returns how many schemas it holds
 * @throws SchemaRefused
 */
export function survey(root: Schema): number {
  if (!isJsonObject(root)) return 1
  const counted = new Map<JsonObject, number | 'counting'>()
  boundNesting(root, root, 1, new Set())
  const targets = [root, ...Object.values((root['$defs'] ?? {}) as JsonObject)]
  for (const schema of targets.flatMap(target => schemasIn(target))) schemasAtOnce(schema, root, counted)
  if (counted.size > MAX_SCHEMAS) throw new SchemaRefused(`it holds more than ${MAX_SCHEMAS} schemas`)
  return counted.size
}

function schemasIn(schema: Json): readonly JsonObject[] {
  if (!isJsonObject(schema)) return []
  const places = placesOf(schema)
  if (places.length > MAX_SCHEMAS_INSIDE) throw new SchemaRefused(`one schema of it holds more than ${MAX_SCHEMAS_INSIDE} others`)
  return [schema, ...places.flatMap(place => schemasIn(place.schema))]
}

function schemasAtOnce(schema: JsonObject, root: JsonObject, counted: Map<JsonObject, number | 'counting'>): number {
  const known = counted.get(schema)
  if (known === 'counting') throw new SchemaRefused('a reference of it leads back to itself')
  if (known !== undefined) return known
  counted.set(schema, 'counting')
  const beside = placesOf(schema)
    .filter(place => place.looksAt === 'same')
    .map(place => place.schema)
  if (typeof schema['$ref'] === 'string') beside.push(targetOf(schema['$ref'], root))
  let count = 1
  for (const other of beside) {
    count += isJsonObject(other) ? schemasAtOnce(other, root, counted) : 1
    if (count > MAX_SCHEMAS_AT_ONCE) throw new SchemaRefused('its alternatives multiply too far')
  }
  counted.set(schema, count)
  return count
}

function boundNesting(schema: Json, root: JsonObject, level: number, seen: Set<JsonObject>): void {
  if (!isJsonObject(schema) || seen.has(schema)) return
  if (level > MAX_SCHEMA_NESTING) throw new SchemaRefused(`its references nest more than ${MAX_SCHEMA_NESTING} schemas`)
  seen.add(schema)
  for (const place of placesOf(schema)) boundNesting(place.schema, root, level + 1, seen)
  if (typeof schema['$ref'] === 'string') boundNesting(targetOf(schema['$ref'], root), root, level + 1, seen)
}

/** What a reference of a flattened schema points at. */
export function targetOf(reference: string, root: JsonObject): Schema {
  const name = reference.slice('#/$defs/'.length)
  return (root['$defs'] as { readonly [name: string]: Schema })[name] ?? false
}
