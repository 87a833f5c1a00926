// An MCP server as a source of tools: listed when it is opened, listed again when it says that its list changed, closed with the runtime.

import { ToolturnError } from '../../../machines/errors.ts'
import type { ToolSource } from '../../../machines/ports/source.ts'
import { refuse } from '../../../machines/runtime/door.ts'
import type { Tool } from '../../../machines/tool.ts'
import { reasonOf } from './failure.ts'
import { openLink, type Link } from './link.ts'
import { readMcp, type McpOptions, type McpSettings } from './options.ts'
import { listTools } from './pages.ts'
import { refresher } from './refresh.ts'
import { toolOf } from './tools.ts'

const NEVER = new AbortController().signal

/** See `mcp` of the sub-entry. */
export async function openMcp(options: McpOptions): Promise<ToolSource> {
  const settings = readMcp(options)
  let tools: readonly Tool[] = []
  const listeners = new Set<() => void>()
  const refresh = refresher(async () => {
    const next = await toolsOf(settings, link, tools)
    if (next.length === tools.length && next.every((tool, index) => tool === tools[index])) return
    tools = next
    for (const listener of listeners) listener()
  }, settings)
  const link = openLink(settings, refresh.soon)
  try {
    await refresh.first()
    refuseUnlisted(settings, tools)
  } catch (error) {
    refresh.end()
    await link.close()
    throw error instanceof ToolturnError ? error : unreachable(settings, error)
  }
  return {
    name: settings.name,
    list: () => tools,
    changed: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {
      refresh.end()
      await link.close()
    },
  }
}

/** @param before the tools as they were: one that did not change is the same object */
async function toolsOf(settings: McpSettings, link: Link, before: readonly Tool[]): Promise<readonly Tool[]> {
  const connection = await link.connected(NEVER)
  const listed = await listTools(connection, settings.connectTimeoutMs)
  const known = new Map(before.map(tool => [tool.descriptor.version, tool]))
  return listed.flatMap(listing => {
    const tool = toolOf(listing, settings, link)
    if (tool === null) return []
    const same = known.get(tool.descriptor.version)
    return [same?.descriptor.quarantined === tool.descriptor.quarantined ? (same ?? tool) : tool]
  })
}

/** Rules for a tool that is not there are a wish that nobody hears. */
function refuseUnlisted({ rules }: McpSettings, tools: readonly Tool[]): void {
  const names = new Set(tools.map(tool => tool.descriptor.name))
  for (const name of rules.keys()) if (!names.has(name)) refuse(`tools.${name}`, 'the name of a tool that the server lists')
}

function unreachable({ name }: McpSettings, error: unknown): ToolturnError {
  return new ToolturnError('mcp_server_unreachable', '', { server: name, reason: reasonOf(error) }, error)
}
