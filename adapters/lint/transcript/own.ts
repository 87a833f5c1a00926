// Messages in this project's neutral form, as `show --messages --json` prints them.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { Call, Place, Said, Step } from './history.ts'
import { idOf, isEmptyContent, listOf, speaks, textOf, toolOf, unread } from './parts.ts'

export function readOwn(messages: readonly unknown[]): readonly Step[] {
  return messages.map(stepOf)
}

function stepOf(element: unknown, message: number): Step {
  const at = { message, inside: '' }
  if (!isJsonObject(element)) return unread(at, false)
  const { role } = element
  const content = listOf(element['content']).filter(isJsonObject)
  const foreign = element['tool_calls'] != null || element['tool_call_id'] != null || content.some(item => item['kind'] === undefined)
  if (foreign) return unread(at, true)
  if (role === 'assistant') {
    const found = content.map((item, index) => ({ item, at: { message, inside: `.content[${index}]` } }))
    return { kind: 'assistant', at, calls: found.flatMap(callOf), said: found.flatMap(saidOf), truncated: false }
  }
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

type Item = { readonly item: JsonObject; readonly at: Place }

function callOf({ item, at }: Item): readonly Call[] {
  if (item['kind'] !== 'call') return []
  return [{ at, id: idOf(item['id']), tool: toolOf(item['name']), arguments: { kind: 'text', text: textOf(item['arguments']) } }]
}

function saidOf({ item, at }: Item): readonly Said[] {
  const text = textOf(item['text'])
  return item['kind'] === 'text' && text !== null ? [{ at, text }] : []
}
