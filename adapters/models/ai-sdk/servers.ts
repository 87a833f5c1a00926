// Calls over MCP and A2A are made by this side and never by the provider (F4): how such a call is known, before it is sent and after.

const SERVER_WORD = /(?:^|[^a-z0-9])(?:mcp|a2a)/i
const WITHIN_A_NAME = /[a-z](?:M[Cc][Pp]|A2[Aa])/

/** Whether an id, a type or the name of an option is one of tool servers: `openai.mcp`, `mcp_toolset`, `mcpServers`, `mcp_tool_use`. */
export function isServerWord(word: string): boolean {
  return SERVER_WORD.test(word) || WITHIN_A_NAME.test(word)
}

function isServerType(type: unknown): boolean {
  return typeof type === 'string' && isServerWord(type)
}

/** What a provider's own words say and the interface leaves out. */
export type Signs = {
  /** An item of the response, or the response, is incomplete by its own word. */
  readonly incomplete: boolean
  /** The provider called a tool server, or looked at what one has. */
  readonly server: boolean
}

/**
 * Looks at a response, or at an event of a stream, in the form of OpenAI Responses (`output`, `item`) or of Anthropic Messages
 * (`content`, `content_block`). In any other form nothing is found.
 */
export function signsOf(raw: unknown): Signs {
  const response = member(raw, 'response') ?? raw
  const items = [...list(member(response, 'output')), member(raw, 'item'), ...list(member(raw, 'content')), member(raw, 'content_block')]
  return {
    incomplete: [response, ...items].some(item => member(item, 'status') === 'incomplete'),
    server: items.some(item => isServerType(member(item, 'type'))),
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown })[name] : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
