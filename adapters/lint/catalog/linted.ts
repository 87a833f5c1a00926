// What the lint looks at of a tool: its descriptor, as far as it is known, which of its schemas cannot be used, and whether it
// can settle a doubt.

import { compiledSchema } from '../../../machines/schemas/cache.ts'
import { refuse } from '../../../machines/runtime/door.ts'
import type { Schema } from '../../../machines/schemas/places.ts'
import { cutText } from '../../../machines/text.ts'
import type { Tool, ToolDescriptor } from '../../../machines/tool.ts'
import { safeLine } from '../../cli/text.ts'

/** A descriptor, or as much of it as another source of tools knows; what an MCP server lists is one. */
export type LintedDescriptor = Pick<ToolDescriptor, 'name' | 'inputSchema'> &
  Partial<Pick<ToolDescriptor, 'description' | 'outputSchema' | 'replayPolicy' | 'contentTrust' | 'quarantined'>>

/** A schema that nothing can be judged by: deep, huge, malformed. It is walked by nobody, and its tool is quarantined (G6). */
export type Fault = { readonly path: '/inputSchema' | '/outputSchema'; readonly reason: string }

export type Linted = {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema
  readonly descriptor: LintedDescriptor
  readonly faults: readonly Fault[]
  /** Null where only a descriptor is known. */
  readonly reconciles: boolean | null
}

/** True for what can be looked at as a descriptor: without a name and an input schema there is nothing to look at. */
export function isDescriptor(value: unknown): value is LintedDescriptor {
  if (typeof value !== 'object' || value === null) return false
  const { name, description, inputSchema, replayPolicy, contentTrust } = value as { readonly [member: string]: unknown }
  const texts = [description, replayPolicy, contentTrust].every(text => text === undefined || typeof text === 'string')
  const schema = typeof inputSchema === 'boolean' || (typeof inputSchema === 'object' && inputSchema !== null)
  return typeof name === 'string' && texts && schema
}

/** @throws ToolturnError `option_invalid` */
export function linted(tool: Tool | LintedDescriptor): Linted {
  if (typeof tool !== 'object' || tool === null) refuse('tools', 'tools, or descriptors of them')
  const isTool = 'descriptor' in tool
  if (!isDescriptor(isTool ? tool.descriptor : tool)) refuse('tools', 'tools, or descriptors with a name and an input schema')
  const descriptor = isTool ? tool.descriptor : tool
  const { name, description = '', inputSchema } = descriptor
  const reconciles = isTool ? tool.reconcile !== undefined : null
  return { name, description, inputSchema, descriptor, faults: faultsOf(descriptor), reconciles }
}

const REASON_CHARACTERS = 300

function faultsOf({ inputSchema, outputSchema, quarantined }: LintedDescriptor): readonly Fault[] {
  const given = [
    { path: '/inputSchema', schema: inputSchema },
    { path: '/outputSchema', schema: outputSchema ?? true },
  ] as const
  const faults = given.flatMap(({ path, schema }): readonly Fault[] => {
    const compiled = compiledSchema(schema)
    return compiled.ok ? [] : [{ path, reason: shown(compiled.reason) }]
  })
  return faults.length > 0 || quarantined === undefined ? faults : [{ path: '/inputSchema', reason: shown(quarantined) }]
}

function shown(reason: string): string {
  return safeLine(cutText(reason, REASON_CHARACTERS))
}
