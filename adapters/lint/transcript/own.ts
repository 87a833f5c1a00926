// Messages in this project's neutral form, as `show --messages --json` prints them.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { Call, Said, Step } from './history.ts'
import { idOf, isEmptyContent, listOf, speaks, textOf, toolOf, unread } from './parts.ts'

export function readOwn(messages: readonly unknown[]): readonly Step[] {
  return messages.map(stepOf)
}

function stepOf(element: unknown, message: number): Step {
  const at = { message, inside: '' }
  if (!isJsonObject(element)) return unread(at, false)
  const { role } = element
  const content = listOf(element['content']).filter(isJsonObject)
  if (element['tool_calls'] != null || element['tool_call_id'] != null || content.some(item => item['kind'] === undefined)) return unread(at, true)
  if (role === 'assistant') return { kind: 'assistant', at, calls: callsOf(content, message), said: saidOf(content, message), truncated: false }
  if (role !== 'tool') return speaks(role) ? { kind: 'other', at } : unread(at, false)
  const results = listOf(element['results']).map((result, index) => {
    const { id, result: shape } = isJsonObject(result) ? result : {}
    return { at: { message, inside: `.results[${index}]` }, id: idOf(id), empty: isEmpty(shape) }
  })
  return { kind: 'results', at, results, mixed: false }
}

function isEmpty(result: Json | undefined): boolean {
  return !isJsonObject(result) || (isEmptyContent(result['content']) && result['structuredContent'] === undefined)
}

function callsOf(content: readonly JsonObject[], message: number): readonly Call[] {
  return content.flatMap((item, index): readonly Call[] => {
    if (item['kind'] !== 'call') return []
    const at = { message, inside: `.content[${index}]` }
    return [{ at, id: idOf(item['id']), tool: toolOf(item['name']), arguments: { kind: 'text', text: textOf(item['arguments']) } }]
  })
}

function saidOf(content: readonly JsonObject[], message: number): readonly Said[] {
  return content.flatMap((item, index): readonly Said[] =>
    item['kind'] === 'text' && typeof item['text'] === 'string' ? [{ at: { message, inside: `.content[${index}]` }, text: item['text'] }] : [])
}
