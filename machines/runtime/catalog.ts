// The catalog of a runtime: its tools by exact name, and what of it a turn freezes when it opens (G2, G6).

import { Ajv2020 } from 'ajv/dist/2020.js'
import { ToolturnError } from '../errors.ts'
import type { Log } from '../ports/world.ts'
import { compiledSchema } from '../schemas/cache.ts'
import { ToolDescriptor, type Tool } from '../tool.ts'
import { readFunction, readKnown, readList, refuse } from './door.ts'

const isDescriptor = new Ajv2020({ strict: false }).compile<ToolDescriptor>(ToolDescriptor)
const MOST_TOOLS = 10_000

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
    const tool = quarantineIfUnusable(given)
    const { quarantined } = tool.descriptor
    if (quarantined !== undefined) log.warn('a tool is quarantined', { tool: name, reason: quarantined })
    catalog.set(name, tool)
  }
  return catalog
}

/** A tool may be written without `tool()`; an approval word that is none would be one that never asks. */
function refuseUnfit({ descriptor, run, reconcile, approvalOf }: Tool, option: string): void {
  if (!isDescriptor(descriptor)) {
    const [problem] = isDescriptor.errors ?? []
    refuse(`${option}.descriptor`, `a descriptor as \`tool()\` makes it; ${problem?.instancePath ?? ''} ${problem?.message ?? ''}`)
  }
  readFunction(`${option}.run`, run)
  if (reconcile !== undefined) readFunction(`${option}.reconcile`, reconcile)
  if (descriptor.approval === 'by-arguments') readFunction(`${option}.approvalOf`, approvalOf)
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
