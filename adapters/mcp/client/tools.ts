// A server's tool made into one of ours: its name, description and schemas as the server wrote them, its rules as the host did.

import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { ToolturnError } from '../../../machines/errors.ts'
import { DEFAULT_LIMITS } from '../../../machines/limits.ts'
import { descriptorVersion, type Tool } from '../../../machines/tool.ts'
import { tool } from '../../tool.ts'
import { callOver } from './call.ts'
import { headerProblem } from './headers.ts'
import type { Link } from './link.ts'
import type { McpSettings } from './options.ts'
import type { Listing } from './pages.ts'

const DESCRIPTION_CHARACTERS = 16_384

/** Null for one that cannot be in any catalog: its name is too long, or no text that can be kept. */
export function toolOf({ name, tool: listed }: Listing, settings: McpSettings, link: Link): Tool | null {
  const reason = listed === null ? 'the server does not describe it as a tool, or as two different ones' : whyNot(listed, settings)
  try {
    return listed === null || reason !== null ? quarantined(name, reason ?? '', settings) : usable(listed, settings, link)
  } catch (error) {
    if (!(error instanceof ToolturnError)) throw error
    settings.log.warn('a tool of an MCP server is left out', { server: settings.name, option: String(error.details['option']) })
    return null
  }
}

function whyNot({ description = '', inputSchema }: ListedTool, { way }: McpSettings): string | null {
  if (description.length > DESCRIPTION_CHARACTERS) return `its description is longer than ${DESCRIPTION_CHARACTERS} characters`
  return way.by === 'http' ? headerProblem(inputSchema) : null
}

function rulesOf(name: string, { rules, defaults, trusted }: McpSettings) {
  const contentTrust = trusted ? ('trusted' as const) : ('untrusted' as const)
  return { replayPolicy: 'at-most-once' as const, contentTrust, ...defaults, ...rules.get(name) }
}

function usable({ name, title = '', description = title, inputSchema, outputSchema }: ListedTool, settings: McpSettings, link: Link): Tool {
  const rules = rulesOf(name, settings)
  const { replayPolicy, timeoutMs = DEFAULT_LIMITS.toolTimeoutMs } = rules
  const made = tool({
    ...rules,
    name,
    description,
    input: inputSchema,
    ...(outputSchema === undefined ? {} : { output: outputSchema }),
    run: (args, call) => callOver(link, { definition: { name, inputSchema }, replayPolicy, timeoutMs }, args, call),
  })
  return settings.trusted ? made : { ...made, descriptionTrust: 'untrusted' }
}

/** In the catalog by its name alone: nothing that the server wrote of it is kept (G6). */
function quarantined(name: string, reason: string, settings: McpSettings): Tool {
  const made = tool({ ...rulesOf(name, settings), name, description: '', input: false, run: () => null })
  const { version: _, ...described } = made.descriptor
  return { ...made, descriptor: { ...described, version: descriptorVersion(described), quarantined: reason } }
}
