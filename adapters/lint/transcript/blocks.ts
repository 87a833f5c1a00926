// Histories whose calls and results are blocks of a message's content: Anthropic Messages, and the messages of MCP sampling.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { joined, type Call, type Result, type Step } from './history.ts'
import { idOf, isEmptyContent, opened, saidIn, speaks, textOf, toolOf, unread, type Opened } from './parts.ts'

type Words = {
  /** The member of a result that names its call. */
  readonly callId: string
  /** Where the stop word stands, and the ones that mean: cut off. */
  readonly stop: string
  readonly truncated: readonly string[]
  /** What a message of results may not hold: other blocks before the results, or any at all. */
  readonly mixed: (kinds: readonly string[]) => boolean
}

const RESULT = 'tool_result'

const ANTHROPIC: Words = {
  callId: 'tool_use_id',
  stop: 'stop_reason',
  truncated: ['max_tokens', 'model_context_window_exceeded'],
  mixed: kinds => kinds.slice(0, kinds.lastIndexOf(RESULT)).some(kind => kind !== RESULT),
}

const SAMPLING: Words = {
  callId: 'toolUseId',
  stop: 'stopReason',
  truncated: ['maxTokens'],
  mixed: kinds => kinds.some(kind => kind !== RESULT),
}

/** Blocks and members by which other formats call. */
const FOREIGN_BLOCKS: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'function_call', 'function_call_output'])
const FOREIGN_MEMBERS = ['tool_calls', 'function_call', 'tool_call_id', 'call_id', 'results']

export function readAnthropic(messages: readonly unknown[]): readonly Step[] {
  return readBlocks(messages, ANTHROPIC)
}

export function readSampling(messages: readonly unknown[]): readonly Step[] {
  return readBlocks(messages, SAMPLING)
}

function readBlocks(messages: readonly unknown[], words: Words): readonly Step[] {
  // Logs write the blocks of one response as messages of their own, and the provider takes neighbours for one.
  return joined(
    messages.map((element, index) => stepOf(element, index, words)),
    ['assistant'],
  )
}

function stepOf(element: unknown, message: number, words: Words): Step {
  const found = opened(element)
  const whole = { message, inside: found?.inside ?? '' }
  if (found === null) return unread(whole, false)
  const { role } = found.message
  const content = blocksOf(found.message['content'])
  const kinds = content.map(block => textOf(block['type']) ?? '')
  const foreign = FOREIGN_MEMBERS.some(name => found.message[name] != null) || kinds.some(kind => FOREIGN_BLOCKS.has(kind))
  // A result in the model's mouth, or a call in somebody else's, pairs nothing.
  const misplaced = kinds.includes(role === 'assistant' ? RESULT : 'tool_use')
  if (foreign || misplaced || role === 'tool') return unread(whole, true)
  if (role === 'assistant') return assistantStep(found, content, message, words)
  if (!speaks(role)) return unread(whole, false)
  const results = content.flatMap((block, index) => resultOf(block, message, `${whole.inside}.content[${index}]`, words))
  return results.length === 0 ? { kind: 'other', at: whole } : { kind: 'results', at: whole, results, mixed: words.mixed(kinds) }
}

/** In sampling a message may hold one block instead of a list. */
function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (isJsonObject(content)) return [content]
  return Array.isArray(content) ? (content as readonly Json[]).map(block => (isJsonObject(block) ? block : {})) : []
}

function assistantStep({ message: body, wrapper, inside }: Opened, content: readonly JsonObject[], message: number, words: Words): Step {
  const calls = content.flatMap((block, index): readonly Call[] => {
    if (block['type'] !== 'tool_use') return []
    const at = { message, inside: `${inside}.content[${index}]` }
    return [{ at, id: idOf(block['id']), tool: toolOf(block['name']), arguments: { kind: 'value', value: block['input'] } }]
  })
  const stop = textOf(body[words.stop] ?? wrapper[words.stop])
  const said = saidIn(body['content'], message, `${inside}.content`)
  return { kind: 'assistant', at: { message, inside }, calls, said, truncated: stop !== null && words.truncated.includes(stop) }
}

function resultOf(block: JsonObject, message: number, inside: string, { callId }: Words): readonly Result[] {
  if (block['type'] !== RESULT) return []
  const empty = isEmptyContent(block['content']) && block['structuredContent'] === undefined
  return [{ at: { message, inside }, id: idOf(block[callId]), empty }]
}
