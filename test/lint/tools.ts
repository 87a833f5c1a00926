// Tools to be linted: one that is as it should be, and what makes others of it.

import { tool, type ToolOptions } from '../../adapters/tool.ts'
import type { LintedDescriptor } from '../../adapters/lint/catalog/linted.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Tool } from '../../machines/tool.ts'

export const DESCRIPTION = 'Finds one order by its id. Use it when the customer names an order. Do not use it for invoices.'

export const order = { type: 'string', description: 'Id of the order, like 42.' }

/** The schema of an object that takes these properties and no others. */
export function closed(properties: JsonObject, ...required: string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** A tool without fault, but for what is given. */
export function soundTool(given: Partial<ToolOptions<JsonObject>> = {}): Tool {
  return tool({
    name: 'find_order',
    description: DESCRIPTION,
    input: closed({ order }, 'order'),
    replayPolicy: 'read-only',
    run: () => null,
    ...given,
  })
}

/** A tool whose one parameter is this. */
export function taking(parameter: JsonObject, name = 'order'): Tool {
  return soundTool({ input: closed({ [name]: parameter }) })
}

/** So many tools that have little in common. */
export function many(count: number): Tool[] {
  return Array.from({ length: count }, (_, index) => {
    const noun = index
      .toString(26)
      .replace(/\d/g, digit => 'qrstuvwxyz'[Number(digit)] ?? '')
      .repeat(3)
    return soundTool({ name: `find_${noun}`, input: closed({ [noun]: order }) })
  })
}

export function descriptors(...tools: readonly Tool[]): readonly LintedDescriptor[] {
  return tools.map(({ descriptor }) => descriptor)
}
