// The neutral request in the words of Chat Completions, which servers of many makers speak.

import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions'
import type { JsonObject } from '../../../machines/json.ts'
import type { OutputRequest } from '../../../machines/events/turn.ts'
import type { Message, MessageItem, ModelRequest } from '../../../machines/ports/model.ts'
import { outputBudget } from '../budget.ts'
import { notSendable } from '../failure.ts'
import type { ToolNames } from '../tool-names.ts'
import { outputSchema } from './output.ts'
import { readKept, type Origin } from './own.ts'
import { resultText } from './results.ts'
import { functionShape } from './tools.ts'
import { isObjectText } from './wire.ts'

type Body = Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>
type Call = Extract<MessageItem, { readonly kind: 'call' }>

/** What every request of one model has in common. */
export type ChatSettings = {
  readonly model: string
  readonly origin: Origin
  readonly isOpenAI: boolean
  readonly resendReasoning: boolean
  readonly budgetField: 'max_completion_tokens' | 'max_tokens'
  readonly maxOutputTokens: number | undefined
  readonly body: JsonObject
}

/** Fields that the body holds by what the turn is, and not by what a host wishes. */
export const CHAT_FIELDS = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stream',
  'stream_options',
]

/** @throws ModelFailure where the request cannot be put to this model */
export function chatBody(settings: ChatSettings, request: ModelRequest, names: ToolNames): Body {
  const { model, budgetField, maxOutputTokens, body } = settings
  if (request.providerTools.length > 0) throw notSendable('Chat Completions has no tools that a provider runs, and the turn lists some.')
  const tools = request.tools.map((tool): ChatCompletionTool => {
    const { strict, ...shape } = functionShape(tool, names)
    return { type: 'function', function: { ...shape, ...(strict ? { strict } : {}) } }
  })
  return {
    ...body,
    model,
    messages: messagesOf(settings, request, names),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.callsPerRound === 1 ? { parallel_tool_calls: false } : {}),
    ...formatOf(request.output),
    ...(maxOutputTokens === undefined ? {} : { [budgetField]: outputBudget(maxOutputTokens, request.truncations) }),
  }
}

function formatOf(output: OutputRequest | null): Pick<Body, 'response_format'> {
  return output?.mode === 'enforced' ? { response_format: { type: 'json_schema', json_schema: outputSchema(output.schema) } } : {}
}

function messagesOf(settings: ChatSettings, { system, messages }: ModelRequest, names: ToolNames): ChatCompletionMessageParam[] {
  const first: ChatCompletionMessageParam[] = system === null ? [] : [{ role: 'system', content: system }]
  return [...first, ...messages.flatMap(message => chatMessages(message, settings, names))]
}

function chatMessages(message: Message, settings: ChatSettings, names: ToolNames): readonly ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.text }]
    case 'assistant':
      return assistantMessage(message.content, settings, names)
    case 'tool':
      return message.results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: resultText(result) }))
  }
}

/** One message holds all that was said: the format has one place for words and one for calls. One that holds nothing is refused. */
function assistantMessage(
  content: readonly MessageItem[],
  settings: ChatSettings,
  names: ToolNames,
): readonly ChatCompletionMessageParam[] {
  const text = content.map(item => (item.kind === 'text' ? item.text : '')).join('')
  const calls = content.filter((item): item is Call => item.kind === 'call').map(call => toolCall(call, settings, names))
  if (text === '' && calls.length === 0) return []
  const reasoning = settings.resendReasoning ? reasoningOf(content, settings.origin) : {}
  return [{ ...reasoning, role: 'assistant', content: text === '' ? null : text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }]
}

/** The reasoning that this server gave beside a message: some servers refuse calls that come back without it. */
function reasoningOf(content: readonly MessageItem[], origin: Origin): JsonObject {
  const kept = content.map(item => (item.kind === 'opaque' ? readKept(origin, item.value) : undefined))
  return Object.assign({}, ...kept) as JsonObject
}

function toolCall(call: Call, { origin, isOpenAI }: ChatSettings, names: ToolNames) {
  const args = isOpenAI ? call.arguments : jsonOf(call.arguments)
  return {
    ...readKept(origin, call.extra),
    id: call.id,
    type: 'function' as const,
    function: { name: names.toProvider(call.name), arguments: args },
  }
}

/** Other servers read the texts of old arguments again, and refuse a transcript with one that is no JSON. */
function jsonOf(text: string): string {
  if (text.trim() === '') return '{}'
  return isObjectText(text) ? text : JSON.stringify({ unreadable: text })
}
