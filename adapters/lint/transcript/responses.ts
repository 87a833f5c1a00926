// Items of OpenAI Responses: calls and results are items of the list, beside messages and reasoning.

import { isJsonObject, type JsonObject } from '../../../machines/json.ts'
import { argumentsOf } from './chat.ts'
import { joined, type Arguments, type Place, type Step } from './history.ts'
import { idOf, isEmptyContent, opened, saidIn, speaks, textOf, unread } from './parts.ts'

/** A run of the model's items is one message of it, and a run of results answers it. */
export function readResponses(items: readonly unknown[]): readonly Step[] {
  return joined(items.map(stepOf), ['assistant', 'results'])
}

function stepOf(element: unknown, message: number): Step {
  const item = opened(element)?.message
  const at = { message, inside: '' }
  if (item === undefined) return unread(at, false)
  const type = textOf(item['type']) ?? (item['role'] === undefined ? '' : 'message')
  if (item['tool_calls'] != null || item['tool_call_id'] != null || item['role'] === 'tool') return unread(at, true)
  if (type === 'message') return messageStep(item, at)
  if (/_output$/.test(type)) {
    const empty = isEmptyContent(item['output'] ?? item['tools'])
    return { kind: 'results', at, results: [{ at, id: idOf(item['call_id']), empty }], mixed: false }
  }
  if (isOurs(type, item)) {
    const call = { at, id: idOf(item['call_id']), tool: textOf(item['name']) ?? type, arguments: argumentsIn(type, item) }
    return { kind: 'assistant', at, calls: [call], said: [], truncated: item['status'] === 'incomplete' }
  }
  // Reasoning, and what the provider ran itself: it stands in one item with its result.
  return type === '' ? unread(at, false) : { kind: 'assistant', at, calls: [], said: [], truncated: false }
}

function messageStep(item: JsonObject, at: Place): Step {
  if (item['role'] === 'assistant') {
    const said = saidIn(item['content'], at.message, '.content')
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
