// `toolturn/mcp`: a host's tools as an MCP server.

export { mcpServer, type McpHostOptions, type McpServerHandle, type McpServerOptions } from './server/server.ts'
export type { Authenticate, McpCaller } from './server/caller.ts'
