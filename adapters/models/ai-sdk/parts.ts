// Parts of an answer as items of the record, and items as the parts that they were: what a provider signed or named comes back to it
// as it was given, under `providerOptions`.

import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4ToolCall, LanguageModelV4ToolResult } from '@ai-sdk/provider'
import { readArguments } from '../../../machines/arguments/read.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'
import type { MessageItem, ModelItem } from '../../../machines/ports/model.ts'
import { protocolViolation } from '../failure.ts'
import { ownPart, readOwnPart } from '../own-part.ts'
import type { ToolNames } from '../tool-names.ts'
import { isServerWord } from '../servers.ts'

/** Whose parts they are, and by which names the tools go. */
export type Terms = {
  /** Named in failures. */
  readonly who: string
  /** Under which an item's part is kept: the provider's own, since what one gave says nothing to another one. */
  readonly own: string
  readonly names: ToolNames
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type Metadata = NonNullable<LanguageModelV4Content['providerMetadata']>
/** A part that is kept as it is, for the provider to read. */
type Kept = Exclude<LanguageModelV4Content, { type: 'text' | 'tool-call' | 'tool-result' | 'tool-approval-request' }>

/**
 * The items of an answer, in its order.
 *
 * @throws ModelFailure where the provider called a tool server, or wants leave to (F4)
 */
export function itemsOf(content: readonly LanguageModelV4Content[], terms: Terms): ModelItem[] {
  return content.flatMap(part => itemOf(part, terms))
}

function itemOf(part: LanguageModelV4Content, terms: Terms): ModelItem[] {
  switch (part.type) {
    case 'text':
      return part.text === '' && part.providerMetadata === undefined ? [] : [{ kind: 'text', text: part.text, ...extraOf(part, terms) }]
    case 'tool-call':
      return [part.providerExecuted === true ? useOf(part, terms) : callOf(part, terms)]
    case 'tool-result':
      return part.preliminary === true ? [] : [resultOf(part, terms)]
    case 'tool-approval-request':
      throw serverCall(terms.who)
    case 'custom':
      return isAnnouncement(part.kind) ? [] : [{ kind: 'opaque', value: keptOf(part, terms) }]
    default:
      return [{ kind: 'opaque', value: keptOf(part, terms) }]
  }
}

/** Streams of Anthropic's package begin with one, whole answers do not: what it says is no content. */
function isAnnouncement(kind: string): boolean {
  return kind === 'anthropic.message_start'
}

function callOf(part: LanguageModelV4ToolCall, terms: Terms): ModelItem {
  const { toolCallId, toolName, input } = part
  const id = toolCallId === '' ? null : toolCallId
  return { kind: 'call', id, name: terms.names.toHost(toolName), arguments: input, ...extraOf(part, terms) }
}

function useOf(part: LanguageModelV4ToolCall, { who, own }: Terms): ModelItem {
  const { toolName, toolCallId, input, providerMetadata } = part
  if (isOfServer(part)) throw serverCall(who)
  const extra = ownPart(own, plain({ providerMetadata }))
  return { kind: 'provider-tool', name: toolName, id: toolCallId, input: inputOf(input), extra }
}

function resultOf(part: LanguageModelV4ToolResult, { who, own }: Terms): ModelItem {
  const { toolName, toolCallId, result, isError, providerMetadata } = part
  if (isOfServer(part)) throw serverCall(who)
  const extra = ownPart(own, plain({ providerMetadata, ...(isError === true ? { isError } : {}) }))
  return { kind: 'provider-tool', name: toolName, id: toolCallId, result: plain(result), extra }
}

/** By its name, as OpenAI's package makes it, or by what the provider says of it, as Anthropic's does. */
function isOfServer({ toolName, providerMetadata = {} }: { toolName: string; providerMetadata?: Metadata }): boolean {
  return isServerWord(toolName) || Object.values(providerMetadata).some(({ type }) => typeof type === 'string' && isServerWord(type))
}

export function serverCall(who: string): Error {
  return protocolViolation(`${who} called a tool server by itself; such calls are made by this side only.`)
}

function extraOf({ providerMetadata }: { providerMetadata?: Metadata }, { own }: Terms): { extra?: Json } {
  return providerMetadata === undefined ? {} : { extra: ownPart(own, plain({ providerMetadata })) }
}

function keptOf(part: Kept, { own }: Terms): Json {
  return ownPart(own, plain('data' in part ? { ...part, data: plainData(part.data) } : part))
}

/** Bytes as base64 and an address as its text: the text that the provider wrote, where the package kept it. */
function plainData(data: Extract<Kept, { data: unknown }>['data']): Json {
  if (data.type === 'url') return { type: 'url', url: data.originalUrl ?? data.url.href }
  return { type: 'data', data: typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64') }
}

function plain(value: unknown): Json {
  return parseJson(JSON.stringify(value))
}

/** The parts that an item is sent back as; none where only people read it, or where another provider gave it. */
export function partsOf(item: MessageItem, { own, names }: Terms): AssistantPart[] {
  switch (item.kind) {
    case 'text':
      return [{ type: 'text', text: item.text, ...optionsOf(readOwnPart(own, item.extra)) }]
    case 'call': {
      const { id, name, arguments: text, extra } = item
      const common = { toolCallId: id, toolName: names.toProvider(name), input: inputOf(text) }
      return [{ type: 'tool-call', ...common, ...optionsOf(readOwnPart(own, extra)) }]
    }
    case 'opaque':
      return keptParts(readOwnPart(own, item.value))
    case 'provider-tool':
      return providerParts(item, readOwnPart(own, item.extra))
  }
}

/** The interface wants a value. A text that is no object, or that would not come out as it went in, is shown to the model as a text. */
function inputOf(text: string): JsonObject {
  const read = readArguments(text)
  return read.ok ? read.value : { INVALID_JSON: text }
}

function providerParts(
  { name, id = '', input, result }: Extract<MessageItem, { kind: 'provider-tool' }>,
  kept: Json | undefined,
): AssistantPart[] {
  if (!isJsonObject(kept)) return []
  const common = { toolCallId: id, toolName: name, ...optionsOf(kept) }
  if (result === undefined) return [{ type: 'tool-call', input: input ?? {}, providerExecuted: true, ...common }]
  const output = { type: kept['isError'] === true ? 'error-json' : 'json', value: result } as Extract<
    AssistantPart,
    { type: 'tool-result' }
  >['output']
  return [{ type: 'tool-result', output, ...common }]
}

function keptParts(kept: Json | undefined): AssistantPart[] {
  if (!isJsonObject(kept) || kept['type'] === 'source') return []
  const { providerMetadata: _, data, ...rest } = kept
  const part = { ...rest, ...(isJsonObject(data) ? { data: dataOf(data) } : {}), ...optionsOf(kept) }
  return [part as unknown as AssistantPart]
}

function dataOf(data: JsonObject): object {
  const { type, url } = data
  return type === 'url' && typeof url === 'string' ? { type, url: new URL(url), originalUrl: url } : data
}

function optionsOf(kept: Json | undefined): { providerOptions?: Metadata } {
  const given = isJsonObject(kept) ? kept['providerMetadata'] : undefined
  return isJsonObject(given) ? { providerOptions: given as Metadata } : {}
}
