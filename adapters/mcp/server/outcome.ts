// What became of a call, in the shape of the protocol: its own result, or the host's words why it gave none (G1, B9).

import { isSpecType, ProtocolError, ProtocolErrorCode, type CallToolResult, type ContentBlock } from '@modelcontextprotocol/server'
import { ERROR_PAGES } from '../../../machines/errors.ts'
import { isJsonObject, type Json } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'
import type { Message, PairedResult } from '../../../machines/ports/model.ts'
import type { CallView, TurnResult } from '../../../machines/runtime/api.ts'
import type { ToolDescriptor, ToolResult } from '../../../machines/tool.ts'
import { isSchema } from './listing.ts'

/**
 * The answer to a call whose turn is over.
 *
 * @param shown the call's result as a model was or would be shown it; null where it has none
 * @throws ProtocolError -32602 for the name of no offered tool, as the protocol has it; the text is the host's
 */
export function answerFor(turn: TurnResult, shown: PairedResult | null, descriptor: ToolDescriptor | undefined): CallToolResult {
  const [call] = turn.calls
  if (call?.outcome === 'invalid' && call.gate === 'name') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, textOf(shown), metaOf(turn))
  }
  const result = call === undefined || shown === null || isCutShort(call, turn) ? failed(turn) : resultOf(call, shown, descriptor)
  return { ...result, _meta: metaOf(turn) }
}

/** It is in doubt, or its turn ended before it did. An ask that was answered ended only the run. */
function isCutShort({ outcome }: CallView, { state }: TurnResult): boolean {
  return outcome === null || (outcome === 'ended-turn' && state !== 'completed')
}

/** Ids and words of the host; whoever asks the host about a call can name it. */
function metaOf(turn: TurnResult): { readonly [name: string]: unknown } {
  return { 'toolturn/turn': turn.turnId, 'toolturn/outcome': turn.calls[0]?.outcome ?? null }
}

/** A result of the host's own words: nothing ran, or it is not known what did. */
export function saidByHost(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function failed({ state, code, limit, turnId }: TurnResult): CallToolResult {
  if (state === 'cancelled') return saidByHost('The call was cancelled.')
  if (code === null) return saidByHost(`The call met the limit ${limit ?? 'of its turn'} and gave no result.`)
  if (code === 'model_unavailable') return saidByHost('The call was lost before it began. Nothing ran; call again.')
  return saidByHost(`${ERROR_PAGES[code].what} The turn is ${turnId}.`)
}

function resultOf(call: CallView, { result }: PairedResult, descriptor: ToolDescriptor | undefined): CallToolResult {
  const structured = result.structuredContent ?? (call.outcome === 'ended-turn' ? answerIn(result) : undefined)
  const answered: CallToolResult = {
    content: result.content.map(asBlock),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(result.isError === true ? { isError: true } : {}),
  }
  return lacksValue(answered, descriptor) ? { ...answered, isError: true } : answered
}

/** An answer that is no plain text is kept as JSON. */
function answerIn(result: ToolResult): Json | undefined {
  try {
    const value = result.isError === true ? undefined : parseJson(textIn(result))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A client takes a result without the value that its tool promises for broken, unless it is an error: one that was cut short is. */
function lacksValue(result: CallToolResult, descriptor: ToolDescriptor | undefined): boolean {
  return isSchema(descriptor?.outputSchema) && result.structuredContent === undefined && result.isError !== true
}

/** A block that the protocol does not know, or that lacks what it asks for, is shown as what stands there. */
function asBlock(block: ToolResult['content'][number]): ContentBlock {
  return isSpecType.ContentBlock(block) ? block : { type: 'text', text: JSON.stringify(block) }
}

function textOf(shown: PairedResult | null): string {
  return shown === null ? 'There is no such tool.' : textIn(shown.result)
}

function textIn({ content }: ToolResult): string {
  return content.map(block => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n')
}

/** The result of the one call in the messages of its turn. */
export function resultInMessages(messages: Json): PairedResult | null {
  const told = (messages as unknown as readonly Message[]).find(message => message.role === 'tool')
  return told?.role === 'tool' ? (told.results[0] ?? null) : null
}
