// Items of OpenAI Responses: calls and results are items of the list, beside messages and reasoning.

import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import { argumentsOf } from './chat.ts'
import { joined, type Arguments, type Place, type Step } from './history.ts'
import { idOf, isEmptyContent, kindsIn, opened, saidIn, speaks, textOf, unread } from './parts.ts'

/** Blocks and members by which other formats call. */
const FOREIGN_BLOCKS: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'tool-call', 'tool-result'])
const FOREIGN_MEMBERS = ['tool_calls', 'tool_call_id', 'results']

/** What the model gives beside messages and calls, or the provider in its name. */
const OF_THE_MODEL = /_call$|^(?:reasoning|compaction|item_reference|mcp_list_tools|mcp_approval_request|mcp_approval_response)$/

/** A run of the model's items is one message of it, and a run of results answers it. */
export function readResponses(items: readonly unknown[]): readonly Step[] {
  return joined(items.map(stepOf), ['assistant', 'results'])
}

function stepOf(element: unknown, message: number): Step {
  const found = opened(element)
  const at = { message, inside: found?.inside ?? '' }
  if (found === null) return unread(at, false)
  const item = found.message
  const type = textOf(item['type']) ?? 'message'
  const foreign = FOREIGN_MEMBERS.some(name => item[name] != null) || kindsIn(item['content']).some(kind => FOREIGN_BLOCKS.has(kind))
  if (foreign) return unread(at, true)
  if (type === 'message') return messageStep(item, at)
  if (/_output$/.test(type)) {
    const empty = isEmptyContent(item['output'] ?? item['tools'])
    return { kind: 'results', at, results: [{ at, id: idOf(item['call_id']), empty }], mixed: false }
  }
  if (!OF_THE_MODEL.test(type)) return unread(at, false)
  // What the provider ran itself stands in one item with its result.
  if (!isOurs(type, item)) return { kind: 'assistant', at, calls: [], said: [], truncated: false }
  const call = { at, id: idOf(item['call_id']), tool: textOf(item['name']) ?? type, arguments: argumentsIn(type, item) }
  return { kind: 'assistant', at, calls: [call], said: [], truncated: item['status'] === 'incomplete' }
}

function messageStep(item: JsonObject, at: Place): Step {
  if (item['role'] === 'assistant') {
    const said = saidIn(item['content'], at.message, `${at.inside}.content`)
    return { kind: 'assistant', at, calls: [], said, truncated: item['status'] === 'incomplete' }
  }
  return speaks(item['role']) ? { kind: 'other', at } : unread(at, false)
}

/** Calls that the client answers have a `call_id`; a function call must. */
function isOurs(type: string, item: JsonObject): boolean {
  if (type === 'function_call' || type === 'custom_tool_call') return true
  return /_call$/.test(type) && typeof item['call_id'] === 'string' && item['execution'] !== 'server'
}

function argumentsIn(type: string, item: JsonObject): Arguments {
  if (type === 'function_call') return argumentsOf(item['arguments'])
  return isJsonObject(item['arguments']) ? { kind: 'value', value: item['arguments'] } : { kind: 'free' }
}
