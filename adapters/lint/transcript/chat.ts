// OpenAI Chat Completions: calls stand beside the content of an assistant message, and each result is a message of its own.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { joined, type Arguments, type Call, type Place, type Step } from './history.ts'
import { idOf, isEmptyContent, kindsIn, listOf, opened, saidIn, speaks, toolOf, unread } from './parts.ts'

/** Blocks and members by which other formats call. */
const FOREIGN_BLOCKS: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'tool-call', 'tool-result'])
const FOREIGN_MEMBERS = ['call_id', 'results']

export function readChat(messages: readonly unknown[]): readonly Step[] {
  return joined(
    messages.map((element, index) => stepOf(element, index, messages)),
    ['results'],
  )
}

function stepOf(element: unknown, index: number, messages: readonly unknown[]): Step {
  const found = opened(element)
  const at = { message: index, inside: found?.inside ?? '' }
  if (found === null) return unread(at, false)
  const { message: body, wrapper } = found
  if (isForeign(body)) return unread(at, true)
  if (body['role'] === 'assistant') {
    const stop = body['finish_reason'] ?? wrapper['finish_reason']
    const said = saidIn(body['content'], index, `${at.inside}.content`)
    return { kind: 'assistant', at, calls: callsOf(body, at), said, truncated: stop === 'length' }
  }
  if (body['role'] === 'tool') return resultStep(idOf(body['tool_call_id']), body, at)
  // The older form has no ids: a result belongs to the call of the message before it.
  if (body['role'] === 'function') return resultStep(functionId(opened(messages[index - 1])?.message, index - 1), body, at)
  return speaks(body['role']) ? { kind: 'other', at } : unread(at, false)
}

function isForeign(body: JsonObject): boolean {
  return FOREIGN_MEMBERS.some(name => body[name] != null) || kindsIn(body['content']).some(kind => FOREIGN_BLOCKS.has(kind))
}

function resultStep(id: string | null, body: JsonObject, at: Place): Step {
  return { kind: 'results', at, results: [{ at, id, empty: isEmptyContent(body['content']) }], mixed: false }
}

function callsOf(body: JsonObject, at: Place): readonly Call[] {
  const calls = listOf(body['tool_calls']).map((call, index) => callOf(call, { ...at, inside: `${at.inside}.tool_calls[${index}]` }))
  const older = body['function_call']
  if (!isJsonObject(older)) return calls
  const place = { ...at, inside: `${at.inside}.function_call` }
  const { name, arguments: written } = older
  return [...calls, { at: place, id: functionId(body, at.message), tool: toolOf(name), arguments: argumentsOf(written) }]
}

function callOf(call: Json, at: Place): Call {
  const { id, function: named, custom } = isJsonObject(call) ? call : {}
  if (isJsonObject(custom)) return { at, id: idOf(id), tool: toolOf(custom['name']), arguments: { kind: 'free' } }
  const { name, arguments: written } = isJsonObject(named) ? named : {}
  return { at, id: idOf(id), tool: toolOf(name), arguments: argumentsOf(written) }
}

/** Text by the format; some servers write the object itself. */
export function argumentsOf(written: Json | undefined): Arguments {
  if (typeof written === 'string') return { kind: 'text', text: written }
  return written == null ? { kind: 'text', text: null } : { kind: 'value', value: written }
}

function functionId(body: JsonObject | undefined, index: number): string | null {
  return isJsonObject(body?.['function_call']) ? `function_call of message ${index}` : null
}
