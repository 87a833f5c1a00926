// The parameters and objects that an input schema declares, wherever in it, with the place of each.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { placesOf, type Place, type Schema } from '../../../machines/schemas/places.ts'
import { pointerOf, resolvePointer } from '../../../machines/schemas/pointers.ts'

/** A property, with the schema that it stands for where it is a reference. */
export type Parameter = { readonly path: string; readonly name: string; readonly schema: JsonObject }

/** A schema of an object; `closed` by itself or by the schema around it that looks at the same value. */
export type ObjectPlace = { readonly path: string; readonly schema: JsonObject; readonly closed: boolean }

export type Declared = { readonly parameters: readonly Parameter[]; readonly objects: readonly ObjectPlace[] }

/** What only restates conditions, or names no value that is sent. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'not',
  'dependentSchemas',
  'dependencies',
  'propertyNames',
  'contains',
])

type Walk = { readonly root: Json; readonly seen: Set<JsonObject>; readonly parameters: Parameter[]; readonly objects: ObjectPlace[] }

/** What the schemas around one say of the same value. */
type Around = { readonly closed: boolean; readonly names: ReadonlySet<string> }

const NOTHING: Around = { closed: false, names: new Set() }

/** @param schema one that compiles, so that its depth is bounded */
export function declaredIn(schema: Schema, path: string): Declared {
  const walk: Walk = { root: schema, seen: new Set(), parameters: [], objects: [] }
  visit(schema, path, NOTHING, walk)
  return walk
}

function visit(schema: Json, path: string, around: Around, walk: Walk): void {
  if (!isJsonObject(schema) || walk.seen.has(schema)) return
  walk.seen.add(schema)
  const closed = around.closed || isClosed(schema)
  if (isObjectSchema(schema)) walk.objects.push({ path, schema, closed })
  const names = new Set([...around.names, ...namesOf(schema)])
  for (const place of placesOf(schema)) {
    if (PASSED_OVER.has(place.keyword)) continue
    const inside = `${path}/${place.keyword}${place.key === null ? '' : `/${escaped(String(place.key))}`}`
    note(place, inside, around, walk)
    visit(place.schema, inside, place.looksAt === 'same' ? { closed, names } : NOTHING, walk)
  }
  const pointer = pointerOf(schema['$ref'])
  if (pointer === null) return
  const [, member = ''] = path.split('/', 2)
  visit(resolvePointer(walk.root, pointer) ?? false, `/${member}${pointer}`, { closed, names }, walk)
}

/** A property that an outer schema declares is only restated. */
function note({ keyword, key, schema }: Place, path: string, { names }: Around, walk: Walk): void {
  const name = String(key)
  if (keyword !== 'properties' || names.has(name) || !isJsonObject(schema)) return
  walk.parameters.push({ path, name, schema: { ...meant(schema, walk.root), ...schema } })
}

/** What a reference points at; references of references are followed a few times. */
export function meant(schema: JsonObject, root: Json, hops = 8): JsonObject {
  const pointer = pointerOf(schema['$ref'])
  const target = pointer === null || hops === 0 ? undefined : resolvePointer(root, pointer)
  return isJsonObject(target) ? meant(target, root, hops - 1) : schema
}

export function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {}
}

function namesOf(schema: JsonObject): readonly string[] {
  return Object.keys(propertiesOf(schema))
}

function isObjectSchema(schema: JsonObject): boolean {
  return typesOf(schema).includes('object') || isJsonObject(schema['properties'])
}

/** The types that a schema names itself. */
export function typesOf({ type }: JsonObject): readonly string[] {
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type]
  return types.filter(each => typeof each === 'string')
}

/** Closed, or a map whose values have a schema of their own. */
function isClosed(schema: JsonObject): boolean {
  const { additionalProperties: others, unevaluatedProperties: unevaluated } = schema
  const isMap = isJsonObject(others) && Object.keys(others).length > 0 && namesOf(schema).length === 0
  return others === false || unevaluated === false || isMap
}

/** A name as a part of a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
