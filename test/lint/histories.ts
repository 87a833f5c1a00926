// Short ways to write histories down, in the formats of others.

import type { Finding } from '../../adapters/lint/finding.ts'

export type History = readonly object[]

/** Anthropic Messages. */
export const anthropic = {
  use: (id: string, input: unknown = {}, name = 'find') => ({ type: 'tool_use', id, name, input }),
  result: (id: string, content: unknown = 'found') => ({ type: 'tool_result', tool_use_id: id, content }),
  text: (text: string) => ({ type: 'text', text }),
  assistant: (...content: object[]) => ({ role: 'assistant', content }),
  user: (...content: object[]) => ({ role: 'user', content }),
}

/** OpenAI Chat Completions. */
export const chat = {
  call: (id: string, written: string | null = '{}', name = 'find') => ({ id, type: 'function', function: { name, arguments: written } }),
  assistant: (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls }),
  tool: (id: string, content: unknown = 'found') => ({ role: 'tool', tool_call_id: id, content }),
  says: (content: string) => ({ role: 'assistant', content }),
}

/** Items of OpenAI Responses. */
export const responses = {
  call: (id: string, written = '{}') => ({ type: 'function_call', call_id: id, name: 'find', arguments: written, status: 'completed' }),
  output: (id: string, output: unknown = 'found') => ({ type: 'function_call_output', call_id: id, output }),
}

/** A recorded MCP session. */
export const rpc = {
  call: (id: number | string, args: unknown = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'find', arguments: args },
  }),
  result: (id: number | string, text = 'found') => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }),
}

/** Messages of MCP sampling. */
export const sampling = {
  use: (id: string) => ({ type: 'tool_use', id, name: 'find', input: {} }),
  result: (id: string) => ({ type: 'tool_result', toolUseId: id, content: [{ type: 'text', text: 'found' }] }),
}

export const user = { role: 'user', content: 'Where is order 42?' }

/** The words that were found, each with its place. */
export function wordsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ finding, path }) => `${finding} ${path}`)
}
