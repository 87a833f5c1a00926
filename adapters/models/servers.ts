// Calls over MCP and A2A are made by this side and never by the provider (F4): how such a call is known, before it is sent and after.

import { isJsonObject, type Json } from '../../machines/json.ts'

const SERVER_WORD = /(?:^|[^a-z0-9])(?:mcp|a2a)/i
const WITHIN_A_NAME = /[a-z](?:M[Cc][Pp]|A2[Aa])/

/** Whether an id, a type or the name of an option is one of tool servers: `openai.mcp`, `mcp_toolset`, `mcpServers`, `mcp_tool_use`. */
export function isServerWord(word: string): boolean {
  return SERVER_WORD.test(word) || WITHIN_A_NAME.test(word)
}

/** Whether a type or a field at any depth is one of tool servers. */
export function namesServers(value: Json): boolean {
  if (Array.isArray(value)) return value.some(namesServers)
  if (!isJsonObject(value)) return false
  const { type } = value
  if (typeof type === 'string' && isServerWord(type)) return true
  return Object.entries(value).some(([name, inner]) => isServerWord(name) || namesServers(inner))
}
