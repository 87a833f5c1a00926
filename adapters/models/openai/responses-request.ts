// The neutral request in the words of the Responses API. Nothing is stored at OpenAI, so every request holds the whole transcript, and
// the ids of messages and calls, by which the API looks for what it stored, stay behind.

import type { Responses } from 'openai/resources/responses/responses'
import type { Json, JsonObject } from '../../../machines/json.ts'
import type { OutputRequest } from '../../../machines/events/turn.ts'
import type { Message, MessageItem, ModelRequest, PairedResult } from '../../../machines/ports/model.ts'
import { outputBudget } from '../budget.ts'
import { outputSchema } from './output.ts'
import { readKept, type Origin } from './own.ts'
import { listedDefinitions, resentItem, type ProviderTools } from './provider-tools.ts'
import { resultText, shownParts } from './results.ts'
import { functionShape } from './tools.ts'
import { listIn, objectIn, textIn } from './wire.ts'
import type { ToolNames } from '../tool-names.ts'

type Input = Responses.ResponseInputItem
type Body = Omit<Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** What every request of one model has in common. */
export type ResponsesSettings = {
  readonly model: string
  readonly origin: Origin
  readonly providerTools: ProviderTools
  readonly encryptedReasoning: boolean
  readonly maxOutputTokens: number | undefined
  readonly body: JsonObject
}

/** Fields that the body holds by what the turn is, and not by what a host wishes. */
export const RESPONSES_FIELDS = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'store',
  'stream',
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
]

/** @throws ModelFailure where the request cannot be put to this model */
export function responsesBody(settings: ResponsesSettings, request: ModelRequest, names: ToolNames): Body {
  const { model, maxOutputTokens, body } = settings
  const tools = toolsOf(settings, request, names)
  const include = [...new Set([...listIn(body, 'include'), ...(settings.encryptedReasoning ? ['reasoning.encrypted_content'] : [])])]
  const text = { ...objectIn(body, 'text'), ...formatOf(request.output) }
  return {
    ...body,
    model,
    store: false,
    ...(request.system === null ? {} : { instructions: request.system }),
    input: request.messages.flatMap(message => inputOf(message, settings.origin, names)),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.callsPerRound === 1 ? { parallel_tool_calls: false } : {}),
    ...(include.length === 0 ? {} : { include: include as Responses.ResponseIncludable[] }),
    ...(Object.keys(text).length === 0 ? {} : { text }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: outputBudget(maxOutputTokens, request.truncations) }),
  }
}

function toolsOf({ providerTools }: ResponsesSettings, request: ModelRequest, names: ToolNames): Responses.Tool[] {
  const functions = request.tools.map(tool => ({ type: 'function' as const, ...functionShape(tool, names) }))
  return [...functions, ...(listedDefinitions(providerTools, request.providerTools) as unknown as Responses.Tool[])]
}

function formatOf(output: OutputRequest | null): Responses.ResponseTextConfig {
  return output?.mode === 'enforced' ? { format: { type: 'json_schema', ...outputSchema(output.schema) } } : {}
}

function inputOf(message: Message, origin: Origin, names: ToolNames): readonly Input[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ type: 'message', role: message.role, content: message.text }]
    case 'assistant':
      return message.content.flatMap(item => assistantInput(item, origin, names))
    case 'tool':
      return message.results.map(outputOf)
  }
}

function assistantInput(item: MessageItem, origin: Origin, names: ToolNames): readonly Input[] {
  switch (item.kind) {
    case 'text':
      return item.text === '' ? [] : [messageOf(item.text, readKept(origin, item.extra))]
    case 'call':
      return [callOf(item, readKept(origin, item.extra), names)]
    case 'opaque':
      return asInput(keptItem(item.value, origin))
    case 'provider-tool':
      return asInput(resentItem(item, origin))
  }
}

function messageOf(text: string, own: JsonObject | undefined): Input {
  const phase = own?.['phase']
  return {
    type: 'message',
    role: 'assistant',
    content: text,
    ...(typeof phase === 'string' ? { phase: phase as 'commentary' | 'final_answer' } : {}),
  }
}

function callOf(item: Extract<MessageItem, { readonly kind: 'call' }>, own: JsonObject | undefined, names: ToolNames): Input {
  return { ...own, type: 'function_call', call_id: item.id, name: names.toProvider(item.name), arguments: item.arguments }
}

/** An item that is only kept. Reasoning that holds nothing but its id refers to what would have been stored. */
function keptItem(value: Json, origin: Origin): JsonObject | undefined {
  const item = readKept(origin, value)
  if (item === undefined || item['type'] !== 'reasoning') return item
  return textIn(item, 'encrypted_content') === undefined && listIn(item, 'content').length === 0 ? undefined : item
}

/** What the API gave as an item it takes back as one. */
function asInput(item: JsonObject | undefined): readonly Input[] {
  return item === undefined ? [] : [item as unknown as Input]
}

function outputOf({ id, result }: PairedResult): Input {
  const parts = shownParts(result)
  return { type: 'function_call_output', call_id: id, output: parts === null ? resultText(result) : parts.map(shownPart) }
}

function shownPart(part: NonNullable<ReturnType<typeof shownParts>>[number]): Responses.ResponseFunctionCallOutputItem {
  return 'text' in part ? { type: 'input_text', text: part.text } : { type: 'input_image', image_url: part.image, detail: 'auto' }
}
