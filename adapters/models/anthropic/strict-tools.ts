// Which tools are sent `strict`: all strict schemas of a request are compiled together, and a request over the API's bounds is refused
// as a whole. What is not strict is held by the gates all the same.

import { isJsonObject, type Json } from '../../../machines/json.ts'
import type { OfferedTool } from '../../../machines/ports/model.ts'
import { isStrict } from '../strict.ts'

/** The API's own bounds: of strict tools, and of parts in them that may be of several types. Optional fields are not strict here. */
const MOST_TOOLS = 20
const MOST_UNIONS = 16

/** The names of the first tools that can be strict together. */
export function strictTools(tools: readonly OfferedTool[]): ReadonlySet<string> {
  const strict = new Set<string>()
  let unions = 0
  for (const { name, inputSchema } of tools) {
    if (strict.size === MOST_TOOLS || !isStrict(inputSchema)) continue
    const more = unionsIn(inputSchema)
    if (unions + more > MOST_UNIONS) continue
    unions += more
    strict.add(name)
  }
  return strict
}

function unionsIn(schema: Json | undefined): number {
  if (!isJsonObject(schema)) return 0
  const { anyOf, items, properties, type } = schema
  const inside = [...(Array.isArray(anyOf) ? (anyOf as Json[]) : []), items, ...(isJsonObject(properties) ? Object.values(properties) : [])]
  return inside.reduce<number>((sum, part) => sum + unionsIn(part), Array.isArray(type) || Array.isArray(anyOf) ? 1 : 0)
}
