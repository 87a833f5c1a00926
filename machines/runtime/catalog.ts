// The catalog of a runtime: its tools by exact name, and what of it a turn freezes when it opens (G2, G6).

import { ToolturnError } from '../errors.ts'
import { misfit } from '../misfit.ts'
import type { Log } from '../ports/world.ts'
import { compiledSchema } from '../schemas/cache.ts'
import { ToolDescriptor, type Tool } from '../tool.ts'
import { readFunction, readKnown, readList, refuse } from './door.ts'

export const MOST_TOOLS = 10_000

/**
 * Tools by name. A tool whose schema cannot be used is quarantined, alone and with a diagnostic: it is in the catalog, is not
 * shown to the model, and a call of it is `invalid`.
 *
 * @throws ToolturnError `option_invalid` for what is no tool, `tool_name_duplicate`, `replay_policy_missing`
 */
export function buildCatalog(tools: readonly Tool[], log: Log): ReadonlyMap<string, Tool> {
  const catalog = new Map<string, Tool>()
  for (const [index, given] of readList('tools', tools, MOST_TOOLS).entries()) {
    const { name, replayPolicy } = readKnown(`tools[${index}].descriptor`, readKnown(`tools[${index}]`, given).descriptor)
    if (catalog.has(name)) throw new ToolturnError('tool_name_duplicate', `Two tools are called ${JSON.stringify(name)}.`, { tool: name })
    if (replayPolicy === undefined) throw new ToolturnError('replay_policy_missing', '', { tool: name })
    refuseUnfit(given, `tools[${index}]`)
    if (given.descriptor.source !== undefined) refuse(`tools[${index}].descriptor.source`, 'none: that is what a source gives its tools')
    catalog.set(name, quarantineIfUnusable(given, log))
  }
  return catalog
}

/**
 * A tool may be written without `tool()`; an approval word that is none would be one that never asks.
 *
 * @throws ToolturnError `option_invalid`
 */
export function refuseUnfit({ descriptor, run, reconcile, approvalOf }: Tool, option: string): void {
  const wrong = misfit(ToolDescriptor, descriptor)
  if (wrong !== null) refuse(`${option}.descriptor`, `a descriptor as \`tool()\` makes it; ${wrong.at} ${wrong.message}`)
  readFunction(`${option}.run`, run)
  if (reconcile !== undefined) readFunction(`${option}.reconcile`, reconcile)
  if (descriptor.approval === 'by-arguments') readFunction(`${option}.approvalOf`, approvalOf)
}

/** The tool as it may be offered; with the reason in its descriptor where it may not, and in the log (G6). */
export function quarantineIfUnusable(tool: Tool, log: Log): Tool {
  const reason = tool.descriptor.quarantined ?? whyUnusable(tool.descriptor)
  if (reason === null) return tool
  log.warn('a tool is quarantined', { tool: tool.descriptor.name, reason })
  return { ...tool, descriptor: { ...tool.descriptor, quarantined: reason } }
}

function whyUnusable({ inputSchema, outputSchema }: ToolDescriptor): string | null {
  for (const schema of [inputSchema, outputSchema]) {
    const compiled = schema === undefined ? null : compiledSchema(schema)
    if (compiled !== null && !compiled.ok) return compiled.reason
  }
  return null
}

/** The tools that a turn offers: those named, or all, in the order of the catalog. A tool's qualified name names it in any case. */
export function offered(catalog: ReadonlyMap<string, Tool>, names: readonly string[] | null): Tool[] {
  if (names === null) return [...catalog.values()]
  const wanted = new Set(names)
  const listed = [...catalog.values()].filter(({ descriptor }) => wanted.delete(descriptor.name))
  const others = [...wanted].map(
    name => catalog.get(name) ?? refuse('tools', `names of registered tools; there is no ${JSON.stringify(name)}`),
  )
  return [...listed, ...others]
}
