// Which format a history is written in: said by the caller, or seen by what only one of them writes. And what each of them
// demands beyond the rules that hold for all.

import { isJsonObject, type Json } from '../../../machines/json.ts'
import type { Severity } from '../finding.ts'
import { readAnthropic, readSampling } from './blocks.ts'
import { readChat } from './chat.ts'
import type { Step } from './history.ts'
import { readOwn } from './own.ts'
import { listOf, opened, textOf } from './parts.ts'
import { readResponses } from './responses.ts'
import { readRpc } from './rpc.ts'

/** `openai` is Chat Completions or the items of Responses; `mcp` the messages of sampling or a JSON-RPC session. */
export type TranscriptFormat = 'anthropic' | 'openai' | 'mcp' | 'toolturn'

export type Dialect = {
  readonly format: TranscriptFormat
  /** As it is called in sentences. */
  readonly name: string
  readonly read: (messages: readonly unknown[]) => readonly Step[]
  /** How grave it is when a result stands later than right behind its call, and when an id comes again in a later message. */
  readonly late: Severity
  readonly reused: Severity
  /** True for a message that no other format holds. */
  readonly marked: (element: Readonly<Record<string, Json>>) => boolean
}

/** In the order in which they are looked for: the last two share their blocks. */
const DIALECTS: readonly Dialect[] = [
  {
    format: 'mcp',
    name: 'an MCP session',
    read: readRpc,
    late: 'error',
    reused: 'error',
    marked: element => element['jsonrpc'] !== undefined,
  },
  {
    format: 'toolturn',
    name: 'toolturn messages',
    read: readOwn,
    late: 'error',
    reused: 'error',
    marked: element => Array.isArray(element['results']) || blocks(element).some(block => block['kind'] !== undefined),
  },
  {
    format: 'openai',
    name: 'Chat Completions',
    read: readChat,
    late: 'error',
    reused: 'warning',
    marked: ({ role, tool_calls: calls, function_call: call }) => calls != null || call != null || role === 'tool' || role === 'function',
  },
  {
    // The provider itself pairs by id wherever the result stands; others who serve this format do not.
    format: 'openai',
    name: 'Responses items',
    read: readResponses,
    late: 'warning',
    reused: 'error',
    marked: ({ type, role, call_id: id }) =>
      id !== undefined || (role === undefined && /_call$|_output$|^reasoning$/.test(textOf(type) ?? '')),
  },
  {
    format: 'mcp',
    name: 'MCP sampling',
    read: readSampling,
    late: 'error',
    reused: 'error',
    marked: element => element['stopReason'] !== undefined || blocks(element).some(block => block['toolUseId'] !== undefined),
  },
  {
    format: 'anthropic',
    name: 'Anthropic Messages',
    read: readAnthropic,
    late: 'error',
    reused: 'error',
    marked: element => element['stop_reason'] !== undefined || kindsOf(element).some(kind => /^tool_(use|result)$/.test(kind)),
  },
]

/** What of a format is read where nothing says which of its two it is. */
const PLAIN: { readonly [format in TranscriptFormat]: string } = {
  anthropic: 'Anthropic Messages',
  openai: 'Chat Completions',
  mcp: 'MCP sampling',
  toolturn: 'toolturn messages',
}

export function isFormat(word: string): word is TranscriptFormat {
  return Object.hasOwn(PLAIN, word)
}

/** The dialect of a history. One that holds neither call nor result is the same in all; it is read as Chat Completions. */
export function dialectOf(messages: readonly unknown[], format?: TranscriptFormat): Dialect {
  const elements = messages.map(element => opened(element)?.message).filter(isJsonObject)
  const possible = DIALECTS.filter(dialect => format === undefined || dialect.format === format)
  const seen = possible.find(dialect => elements.some(dialect.marked))
  return seen ?? (possible.find(dialect => dialect.name === PLAIN[format ?? 'openai']) as Dialect)
}

function kindsOf(element: Readonly<Record<string, Json>>): readonly string[] {
  return blocks(element).map(block => textOf(block['type']) ?? '')
}

function blocks(element: Readonly<Record<string, Json>>): readonly Readonly<Record<string, Json>>[] {
  const { content } = element
  return (Array.isArray(content) ? listOf(content) : [content ?? null]).filter(isJsonObject)
}
