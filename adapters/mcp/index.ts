// `toolturn/mcp`: the tools of MCP servers in a host's turns, and a host's tools as an MCP server. Each side loads its own part of the
// SDK when it is first called, so a host installs only what it uses.

import type { ToolSource } from '../../machines/ports/source.ts'
import type { McpOptions } from './client/options.ts'
import type { McpHostOptions, McpServerHandle, McpServerOptions } from './server/server.ts'

export type { McpOptions, McpToolOptions } from './client/options.ts'
export type { Authenticate, McpCaller } from './server/caller.ts'
export type { McpHostOptions, McpServerHandle, McpServerOptions } from './server/server.ts'

/**
 * Connects to an MCP server and lists its tools: `createRuntime({ tools: [findOrder, await mcp({ name: 'github', command: '…' })] })`.
 *
 * Its tools are at-most-once and untrusted unless the host says otherwise; what the server hints decides nothing (C1, D3). A lost
 * connection is opened again, and no call is sent twice. The runtime that it is given to closes it.
 *
 * @throws ToolturnError `option_invalid`, also for rules of a tool that the server does not list; `mcp_server_unreachable`
 */
export async function mcp(options: McpOptions): Promise<ToolSource> {
  const { openMcp } = await import('./client/mcp.ts')
  return openMcp(options)
}

/** Serves a host's tools over MCP (see `McpServerOptions`). @throws ToolturnError `option_invalid`, and what `createRuntime` throws */
export async function mcpServer(host: McpHostOptions, options: McpServerOptions): Promise<McpServerHandle> {
  const { mcpServer: serve } = await import('./server/server.ts')
  return serve(host, options)
}
