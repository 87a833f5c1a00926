// What the lint looks at of a tool: its descriptor, as far as it is known, and whether it can settle a doubt.

import type { Schema } from '../../../machines/schemas/places.ts'
import type { Tool, ToolDescriptor } from '../../../machines/tool.ts'

/** A descriptor, or as much of it as another source of tools knows; what an MCP server lists is one. */
export type LintedDescriptor = Pick<ToolDescriptor, 'name' | 'inputSchema'> &
  Partial<Pick<ToolDescriptor, 'description' | 'outputSchema' | 'replayPolicy' | 'contentTrust' | 'quarantined'>>

export type Linted = {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema
  readonly descriptor: LintedDescriptor
  /** Null where only a descriptor is known. */
  readonly reconciles: boolean | null
}

export function linted(tool: Tool | LintedDescriptor): Linted {
  const isTool = 'descriptor' in tool
  const descriptor = isTool ? tool.descriptor : tool
  const { name, description = '', inputSchema } = descriptor
  return { name, description, inputSchema, descriptor, reconciles: isTool ? tool.reconcile !== undefined : null }
}
