// The catalog of a runtime: its tools by exact name, and what of it a turn freezes when it opens (G2, G6).

import { ToolturnError } from '../errors.ts'
import type { Log } from '../ports/world.ts'
import { compiledSchema } from '../schemas/cache.ts'
import type { Tool, ToolDescriptor } from '../tool.ts'
import { refuse } from './door.ts'

/**
 * Tools by name. A tool whose schema cannot be used is quarantined, alone and with a diagnostic: it is in the catalog, is not
 * shown to the model, and a call of it is `invalid`.
 *
 * @throws ToolturnError `tool_name_duplicate`, `replay_policy_missing`
 */
export function buildCatalog(tools: readonly Tool[], log: Log): ReadonlyMap<string, Tool> {
  const catalog = new Map<string, Tool>()
  for (const given of tools) {
    const { name, replayPolicy } = given.descriptor
    if (catalog.has(name)) throw new ToolturnError('tool_name_duplicate', `Two tools are called ${JSON.stringify(name)}.`, { tool: name })
    if (replayPolicy === undefined) throw new ToolturnError('replay_policy_missing', '', { tool: name })
    const tool = quarantineIfUnusable(given)
    const { quarantined } = tool.descriptor
    if (quarantined !== undefined) log.warn('a tool is quarantined', { tool: name, reason: quarantined })
    catalog.set(name, tool)
  }
  return catalog
}

function quarantineIfUnusable(tool: Tool): Tool {
  const { inputSchema, outputSchema } = tool.descriptor
  for (const schema of [inputSchema, outputSchema]) {
    const compiled = schema === undefined ? null : compiledSchema(schema)
    if (compiled !== null && !compiled.ok) return { ...tool, descriptor: { ...tool.descriptor, quarantined: compiled.reason } }
  }
  return tool
}

/** The descriptors that a turn offers: those named, or all, in the order of the catalog. */
export function offered(catalog: ReadonlyMap<string, Tool>, names: readonly string[] | null): ToolDescriptor[] {
  for (const name of names ?? []) if (!catalog.has(name)) refuse('tools', `names of registered tools; there is no ${JSON.stringify(name)}`)
  const wanted = names === null ? null : new Set(names)
  return [...catalog.values()].map(tool => tool.descriptor).filter(descriptor => wanted === null || wanted.has(descriptor.name))
}
