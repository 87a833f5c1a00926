// Arguments that a schema wants in the headers of the request too: only plain values that are always at one place, under names that
// are theirs alone. A tool that asks for anything else is not used over HTTP, as the protocol has it.

import { isJsonObject, type Json } from '../../../machines/json.ts'

const KEY = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const PLAIN: readonly unknown[] = ['string', 'integer', 'boolean']

/** Why a tool with this input schema cannot be called over HTTP; null when it can. */
export function headerProblem(schema: unknown): string | null {
  const declared = declaredIn(schema as Json)
  const names = declared.map(({ name }) => (typeof name === 'string' ? name.toLowerCase() : null))
  const sound = declared.every(({ name, type }) => typeof name === 'string' && TOKEN.test(name) && PLAIN.includes(type))
  if (sound && new Set(names).size === names.length && declared.length === mentions(schema as Json)) return null
  return 'it asks for arguments in headers in a way that the protocol does not have'
}

/** Along `properties` alone, and never at the root. */
function declaredIn(schema: Json): readonly { readonly name: Json | undefined; readonly type: Json | undefined }[] {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'] ?? null)) return []
  return Object.values(schema['properties'] as { readonly [name: string]: Json }).flatMap(property => [
    ...(isJsonObject(property) && KEY in property ? [{ name: property[KEY], type: property['type'] }] : []),
    ...declaredIn(property),
  ])
}

function mentions(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [key, inner]) => sum + (key === KEY ? 1 : 0) + mentions(inner), 0)
}
