// A response of the Messages API, in the one form that both ways of getting it end in, and the round that it is.

import type { Completion, Usage } from '../../../machines/events/round.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'
import type { ModelItem, ModelRound } from '../../../machines/ports/model.ts'
import { protocolViolation } from '../failure.ts'
import { ownPart } from '../own-part.ts'
import { itemTexts, memberTexts } from '../raw-json.ts'
import { containerItems } from './container.ts'
import { PROVIDER } from './content.ts'
import { statedFailure } from './failure.ts'
import { isDelegated } from './provider-tools.ts'
import { textAt } from './text-at.ts'

export type WireBlock = {
  readonly block: JsonObject
  /** `input` as it was written, where the block has one. */
  readonly input: string | null
}

export type WireMessage = {
  readonly content: readonly WireBlock[]
  /** The rest of the message: why it stopped, what it used. */
  readonly rest: JsonObject
}

/** The way back from what the wire calls things. */
export type HostNames = {
  readonly tool: (wireName: string) => string
  /** @param id of the block, under which an earlier round may have recorded the name */
  readonly providerTool: (wireName: string, id: string) => string
}

/** @throws ModelFailure when the text is no message */
export function readMessage(text: string): WireMessage {
  const message = parsed(text)
  if (!isJsonObject(message)) throw protocolViolation('The response of Anthropic is no JSON object.')
  if (message['type'] === 'error') throw statedFailure(message)
  const { content, ...rest } = message
  if (!Array.isArray(content) || !content.every(isJsonObject)) throw protocolViolation('The response of Anthropic has no list of blocks.')
  const texts = itemTexts(memberTexts(text).get('content') ?? '[]')
  return { content: content.map((block, index) => ({ block, input: memberTexts(texts[index] ?? '{}').get('input') ?? null })), rest }
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    throw protocolViolation('The response of Anthropic is not JSON.')
  }
}

const USE = 'server_tool_use'
/** How the types of all results end. */
const RESULT = '_tool_result'

const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['end_turn', 'clean'],
  ['tool_use', 'clean'],
  ['stop_sequence', 'clean'],
  ['max_tokens', 'truncated'],
  ['model_context_window_exceeded', 'truncated'],
  ['refusal', 'refused'],
  ['pause_turn', 'paused'],
])

/** @throws ModelFailure when the response holds what is not to be recorded */
export function roundOf({ content, rest }: WireMessage, names: HostNames): ModelRound {
  const { stop_details: details, container } = rest
  const stop = textAt(rest, 'stop_reason')
  const completion = COMPLETIONS.get(stop) ?? 'truncated'
  const explanation = isJsonObject(details) ? details['explanation'] : undefined
  const uses = new Map(content.flatMap(({ block }) => (block['type'] === USE ? [[textAt(block, 'id'), textAt(block, 'name')]] : [])))
  const items = content.map(each => itemOf(each, uses, names, completion))
  return {
    completion,
    stop,
    items: [...items, ...containerItems(container)],
    ...(completion === 'refused' && typeof explanation === 'string' ? { refusal: explanation } : {}),
    ...usageOf(rest['usage']),
  }
}

function itemOf(wire: WireBlock, uses: ReadonlyMap<string, string>, names: HostNames, completion: Completion): ModelItem {
  const { block } = wire
  if (isDelegated(block)) throw protocolViolation('The provider made a call at another server, which it was not asked to.')
  const type = textAt(block, 'type')
  if (type === 'text') return textItem(block)
  if (type === 'tool_use') return callItem(wire, names)
  if (type === USE) return useItem(wire, names, completion)
  if (type.endsWith(RESULT)) return resultItem(block, uses, names)
  return { kind: 'opaque', value: ownPart(PROVIDER, block) }
}

/** Citations must be sent back with the words that they are about. An empty list, or none, is said in several ways on the wire. */
function textItem(block: JsonObject): ModelItem {
  const { type: _, text, citations, ...rest } = block
  if (typeof text !== 'string') throw protocolViolation('A text of the response has no text.')
  const cites = Array.isArray(citations) && citations.length > 0 ? { citations: citations as Json } : {}
  return { kind: 'text', text, ...extraOf({ ...cites, ...rest }) }
}

function callItem({ block, input }: WireBlock, names: HostNames): ModelItem {
  const { type: _, id, name, input: __, ...rest } = block
  if (typeof name !== 'string') throw protocolViolation('A call of the response has no name.')
  return { kind: 'call', id: typeof id === 'string' ? id : null, name: names.tool(name), arguments: input, ...extraOf(rest) }
}

function extraOf(rest: JsonObject): { readonly extra?: Json } {
  return Object.keys(rest).length === 0 ? {} : { extra: ownPart(PROVIDER, rest) }
}

function useItem({ block, input }: WireBlock, names: HostNames, completion: Completion): ModelItem {
  const { id, input: _, ...rest } = block
  const { name } = rest
  if (typeof id !== 'string' || typeof name !== 'string') throw protocolViolation("A use of a provider's tool has no id or no name.")
  return { kind: 'provider-tool', name: names.providerTool(name, id), id, ...inputOf(input, completion), extra: ownPart(PROVIDER, rest) }
}

/** What the provider gave its own tool; the rest of one that ran out of room is not read. */
function inputOf(text: string | null, completion: Completion): { readonly input?: Json } {
  if (text === null) return {}
  try {
    return { input: parseJson(text) }
  } catch {
    if (completion === 'truncated') return {}
    throw protocolViolation("The input of a provider's tool is not JSON.")
  }
}

function resultItem(block: JsonObject, uses: ReadonlyMap<string, string>, names: HostNames): ModelItem {
  const { tool_use_id: id, content = null, ...rest } = block
  if (typeof id !== 'string') throw protocolViolation("A result of a provider's tool belongs to no use.")
  const wireName = uses.get(id) ?? textAt(block, 'type').slice(0, -RESULT.length)
  return { kind: 'provider-tool', name: names.providerTool(wireName, id), id, result: content, extra: ownPart(PROVIDER, rest) }
}

/** Input tokens that were read from the cache, or written to it, are counted apart on the wire. */
function usageOf(usage: Json | undefined): { readonly usage?: Usage } {
  if (!isJsonObject(usage)) return {}
  const read = (name: string): number => {
    const count = usage[name]
    return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0
  }
  const cachedTokens = read('cache_read_input_tokens')
  const inputTokens = read('input_tokens') + cachedTokens + read('cache_creation_input_tokens')
  return { usage: { inputTokens, outputTokens: read('output_tokens'), cachedTokens } }
}
