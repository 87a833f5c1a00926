// Offered tools in OpenAI's words: names in its alphabet, schemas in the form that it takes, strict where it can hold them.

import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import type { OfferedTool } from '../../../machines/ports/model.ts'
import { isStrict } from '../strict.ts'
import { toolNames, type ToolNames } from '../tool-names.ts'

const NAME = /^[a-zA-Z0-9_-]+$/
const NAME_CHARACTERS = 64

export function functionNames(tools: readonly OfferedTool[]): ToolNames {
  return toolNames(
    tools.map(tool => tool.name),
    NAME,
    NAME_CHARACTERS,
  )
}

export type FunctionShape = {
  readonly name: string
  readonly description: string
  readonly parameters: { [key: string]: unknown }
  readonly strict: boolean
}

/** At the top of a function's schema these are refused. */
const NOT_AT_THE_TOP: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'])

/**
 * A tool as a function. What may not stand at the top of its schema is told in its description, so that the model still knows it;
 * that arguments fit the whole schema is held at the gate, whatever the provider holds.
 */
export function functionShape({ name, description, inputSchema }: OfferedTool, names: ToolNames): FunctionShape {
  const schema = isJsonObject(inputSchema) ? inputSchema : {}
  const moved = Object.entries(schema).filter(([keyword]) => NOT_AT_THE_TOP.has(keyword))
  const told = moved.length === 0 ? '' : `\n\nThe arguments must also fit this JSON Schema: ${JSON.stringify(Object.fromEntries(moved))}`
  return {
    name: names.toProvider(name),
    description: description + told,
    parameters: parametersOf(schema),
    strict: isStrict(inputSchema),
  }
}

/** Arguments are always an object, and a function's schema has to say so. */
function parametersOf(schema: JsonObject): { [key: string]: unknown } {
  const kept = Object.entries(schema).filter(([keyword]) => !NOT_AT_THE_TOP.has(keyword))
  return { type: 'object', properties: {}, ...Object.fromEntries(kept) }
}
