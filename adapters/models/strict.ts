// Which input schemas a provider can enforce word by word. Schemas are sent as the host wrote them or not in strict mode at all:
// making optional fields required and nullable would have the model send nulls that the host's own schema refuses.

import { isJsonObject, type Json, type JsonObject } from '../../machines/json.ts'

const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'title',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  '$schema',
])

/** Whether the schema is in the part of JSON Schema that strict modes hold: closed objects, all fields required, plain keywords. */
export function isStrict(schema: JsonObject | boolean): boolean {
  return isJsonObject(schema) && schema['type'] === 'object' && schema['anyOf'] === undefined && isStrictPart(schema)
}

function isStrictPart(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return false
  if (!Object.keys(schema).every(keyword => PLAIN_KEYWORDS.has(keyword))) return false
  const { anyOf, items, properties } = schema
  const types = typesOf(schema)
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.every(isStrictPart))) return false
  if (types.length === 0 && !SAYS_WHAT.some(keyword => Object.hasOwn(schema, keyword))) return false
  if (types.includes('array') ? !isStrictPart(items) : items !== undefined) return false
  return types.includes('object') ? isClosedObject(schema) : properties === undefined
}

/** One of these says what a part may be that names no type. */
const SAYS_WHAT = ['anyOf', 'enum', 'const'] as const

function typesOf({ type }: JsonObject): readonly Json[] {
  return type === undefined ? [] : Array.isArray(type) ? (type as readonly Json[]) : [type]
}

function isClosedObject({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isJsonObject(properties)) return false
  const names = Object.keys(properties)
  const needed = Array.isArray(required) ? required : []
  return names.every(name => needed.includes(name) && isStrictPart(properties[name]))
}
