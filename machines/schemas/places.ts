// Where a JSON Schema holds further schemas, and what each of them looks at. One table for every walk over schemas.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'

export type Schema = JsonObject | boolean

/** `same`: judges the very value that the schema around it judges; `part`: a property, a name or an item of it. */
export type LooksAt = 'same' | 'part'

type Keyword = { readonly holds: 'one' | 'list' | 'map'; readonly looksAt: LooksAt }

/** Draft-04 to 2020-12. `items` is one schema or, in the older drafts, a list; `dependencies` may also hold lists of names. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...['not', 'if', 'then', 'else'].map(name => [name, { holds: 'one', looksAt: 'same' }] as const),
  ...['allOf', 'anyOf', 'oneOf'].map(name => [name, { holds: 'list', looksAt: 'same' }] as const),
  ...['dependentSchemas', 'dependencies'].map(name => [name, { holds: 'map', looksAt: 'same' }] as const),
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'].map(
    name => [name, { holds: 'one', looksAt: 'part' }] as const,
  ),
  ...['prefixItems'].map(name => [name, { holds: 'list', looksAt: 'part' }] as const),
  ...['properties', 'patternProperties'].map(name => [name, { holds: 'map', looksAt: 'part' }] as const),
])

export function holdsSchemas(keyword: string): boolean {
  return KEYWORDS.has(keyword)
}

/** A schema inside another one. */
export type Place = {
  readonly keyword: string
  /** Name or index under the keyword; null where it holds one schema. */
  readonly key: string | number | null
  readonly looksAt: LooksAt
  /** What stands there: a schema, if the schema around it is well formed. */
  readonly schema: Json
}

/** The schemas right inside one; those that stand apart for `$ref` (`$defs`, `definitions`) are not among them. */
export function placesOf(schema: JsonObject): readonly Place[] {
  return Object.entries(schema).flatMap(([keyword, held]): Place[] => {
    const known = KEYWORDS.get(keyword)
    if (known === undefined) return []
    const { looksAt } = known
    if (known.holds === 'list' || (keyword === 'items' && Array.isArray(held))) {
      return Array.isArray(held) ? held.map((inner: Json, key) => ({ keyword, key, looksAt, schema: inner })) : []
    }
    if (known.holds === 'one') return [{ keyword, key: null, looksAt, schema: held }]
    if (!isJsonObject(held)) return []
    return Object.entries(held)
      .filter(([, inner]) => !(keyword === 'dependencies' && Array.isArray(inner)))
      .map(([key, inner]) => ({ keyword, key, looksAt, schema: inner }))
  })
}

/** Puts other schemas in the places of one; everything else stays. */
export function withPlaces(schema: JsonObject, replace: (place: Place) => Json): JsonObject {
  const replaced = new Map<string, [Place['key'], Json][]>()
  for (const place of placesOf(schema)) {
    const list = replaced.get(place.keyword) ?? []
    list.push([place.key, replace(place)])
    replaced.set(place.keyword, list)
  }
  return Object.fromEntries(Object.entries(schema).map(([keyword, held]) => [keyword, rebuilt(held, replaced.get(keyword))]))
}

function rebuilt(held: Json, places: readonly (readonly [Place['key'], Json])[] | undefined): Json {
  const first = places?.[0]
  if (places === undefined || first === undefined) return held
  if (first[0] === null) return first[1]
  if (Array.isArray(held)) return places.map(([, schema]) => schema)
  const schemas = new Map(places.map(([key, schema]) => [String(key), schema]))
  return Object.fromEntries(Object.entries(held as JsonObject).map(([key, inner]) => [key, schemas.get(key) ?? inner]))
}
