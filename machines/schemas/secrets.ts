// Secrets that a schema declares (`writeOnly: true`, `x-secret: true`), wherever in it, and the values that stand under them.
// Where it is not certain which schema a value falls under, all of them count: too much is masked rather than too little.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { placesOf, type Schema } from './places.ts'
import { pointerOf, resolvePointer } from './pointers.ts'
import { boundedText } from './survey.ts'

/** A schema from which a declared secret can be reached, and its ways there. */
type Bearing = {
  readonly secret: boolean
  /** Schemas that look at the same value. */
  readonly beside: readonly JsonObject[]
  /** Declared properties, reached by their name only. */
  readonly named: ReadonlyMap<string, JsonObject>
  /** Patterns, items and all other properties: reached by any name or index. */
  readonly others: readonly JsonObject[]
}

/** `all`: a schema too large to be looked through; everything under it counts as secret. */
type Secrets = ReadonlyMap<JsonObject, Bearing> | 'all'

const analysed = new WeakMap<JsonObject, Secrets>()

/** True when a value that is judged by the schema can hold a declared secret. */
export function declaresSecrets(schema: Schema): boolean {
  if (!isJsonObject(schema)) return false
  const secrets = secretsOf(schema)
  return secrets === 'all' || secrets.size > 0
}

/**
 * Replaces every value that stands under a declared secret, whole.
 *
 * @returns the same value where nothing was replaced
 */
export function maskDeclared(value: Json, schema: Schema, mask: string): Json {
  if (!isJsonObject(schema)) return value
  const secrets = secretsOf(schema)
  return secrets === 'all' ? mask : maskUnder(value, [schema], secrets, mask)
}

function secretsOf(schema: JsonObject): Secrets {
  const known = analysed.get(schema) ?? analyse(schema)
  analysed.set(schema, known)
  return known
}

function analyse(root: JsonObject): Secrets {
  try {
    boundedText(root)
  } catch {
    return 'all'
  }
  const comesFrom = new Map<JsonObject, JsonObject[]>([[root, []]])
  for (const schema of comesFrom.keys()) {
    for (const inner of [...placesOf(schema).map(place => place.schema), targetOf(schema, root)]) {
      if (!isJsonObject(inner)) continue
      const outer = comesFrom.get(inner) ?? []
      outer.push(schema)
      comesFrom.set(inner, outer)
    }
  }
  const bearing = new Set([...comesFrom.keys()].filter(isSecret))
  for (const schema of bearing) for (const outer of comesFrom.get(schema) ?? []) bearing.add(outer)
  return new Map([...bearing].map(schema => [schema, waysOf(schema, root, bearing)]))
}

function isSecret(schema: JsonObject): boolean {
  return schema['writeOnly'] === true || schema['x-secret'] === true
}

function targetOf(schema: JsonObject, root: JsonObject): Json | undefined {
  const pointer = pointerOf(schema['$ref'])
  return pointer === null ? undefined : resolvePointer(root, pointer)
}

function waysOf(schema: JsonObject, root: JsonObject, bearing: ReadonlySet<JsonObject>): Bearing {
  const leads = (inner: Json | undefined): inner is JsonObject => isJsonObject(inner) && bearing.has(inner)
  const places = placesOf(schema).filter(place => place.keyword !== 'propertyNames')
  const parts = places.filter(place => place.looksAt === 'part')
  const named = parts.filter(place => place.keyword === 'properties').map(place => [String(place.key), place.schema] as const)
  return {
    secret: isSecret(schema),
    beside: [...places.filter(place => place.looksAt === 'same').map(place => place.schema), targetOf(schema, root)].filter(leads),
    named: new Map(named.filter((entry): entry is [string, JsonObject] => leads(entry[1]))),
    others: parts
      .filter(place => place.keyword !== 'properties')
      .map(place => place.schema)
      .filter(leads),
  }
}

function maskUnder(value: Json, schemas: readonly JsonObject[], secrets: Exclude<Secrets, 'all'>, mask: string): Json {
  const applied = applying(schemas, secrets)
  if (applied.some(bearing => bearing.secret)) return mask
  if (applied.length === 0 || typeof value !== 'object' || value === null) return value
  const others = applied.flatMap(bearing => bearing.others)
  const masked = Object.entries(value).map(([key, inner]: [string, Json]) => {
    const named = applied.map(bearing => bearing.named.get(key)).filter(schema => schema !== undefined)
    return [key, maskUnder(inner, [...others, ...named], secrets, mask)] as const
  })
  if (masked.every(([key, inner]) => inner === (value as JsonObject)[key])) return value
  return Array.isArray(value) ? masked.map(([, inner]) => inner) : Object.fromEntries(masked)
}

/** These schemas and all that look at the same value with them, as far as they lead to a secret. */
function applying(schemas: readonly JsonObject[], secrets: Exclude<Secrets, 'all'>): readonly Bearing[] {
  const found = new Set(schemas)
  for (const schema of found) for (const other of secrets.get(schema)?.beside ?? []) found.add(other)
  return [...found].map(schema => secrets.get(schema)).filter(bearing => bearing !== undefined)
}
