// A streamed response, put together to the very message that would have come in one piece. What contradicts itself is no message.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'
import type { AskContext } from '../../../machines/ports/model.ts'
import { cutOff, protocolViolation } from '../failure.ts'
import { memberTexts } from '../raw-json.ts'
import { statedFailure, WHO } from './failure.ts'
import { textAt } from './text-at.ts'
import type { WireBlock, WireMessage } from './response.ts'

type Tell = AskContext['onDelta']

/** A block that is being said. */
type Growing = {
  readonly block: Record<string, Json>
  /** `input` as the block began with it. */
  readonly input: string | null
  /** The pieces of `input` that followed. */
  partial: string
  /** What the text cites, where it says so. */
  readonly citations: Json[]
}

type Assembly = {
  rest: Record<string, Json> | null
  readonly blocks: Growing[]
  /** By index, as long as their stop has not come. */
  readonly open: Map<number, Growing>
  readonly tell: Tell
}

/**
 * @param events the data of each server-sent event
 * @throws ModelFailure when the stream states an error, contradicts itself, or is over before its message is
 */
export async function assemble(events: AsyncIterable<{ readonly data: string }>, tell: Tell): Promise<WireMessage> {
  const assembly: Assembly = { rest: null, blocks: [], open: new Map(), tell }
  let message: WireMessage | null = null
  try {
    for await (const { data } of events) {
      // What follows is read to its end and not looked at: so the connection can be used again.
      if (message !== null || data === '') continue
      const event = parsed(data)
      if (event['type'] === 'message_stop') message = whole(assembly)
      else take(assembly, event, data)
    }
  } catch (thrown) {
    if (message === null) throw thrown
  }
  if (message === null) throw cutOff(WHO)
  return message
}

function parsed(data: string): JsonObject {
  try {
    const event = parseJson(data)
    if (isJsonObject(event)) return event
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw protocolViolation('An event of the stream is no JSON object.')
}

/** Events of kinds that nobody knows are passed over, as the API asks its clients to. */
function take(assembly: Assembly, event: JsonObject, data: string): void {
  switch (textAt(event, 'type')) {
    case 'message_start':
      return start(assembly, event)
    case 'content_block_start':
      return startBlock(assembly, event, data)
    case 'content_block_delta':
      return grow(assembly, event)
    case 'content_block_stop':
      return endBlock(assembly, event)
    case 'message_delta':
      return amend(assembly, event)
    case 'error':
      throw statedFailure(event)
  }
}

/** A start that is said again before anything followed is the same start. */
function start(assembly: Assembly, { message }: JsonObject): void {
  if (!isJsonObject(message)) throw protocolViolation('The stream begins with no message.')
  const { content: _, ...rest } = message
  const before = assembly.rest
  if (before !== null && (before['id'] !== rest['id'] || assembly.blocks.length > 0 || isOver(before)))
    throw protocolViolation('The stream holds two messages.')
  assembly.rest = { ...rest }
}

/** An index whose block is over may be used again; two blocks at once under one index cannot be told apart. */
function startBlock({ rest, open, blocks }: Assembly, event: JsonObject, data: string): void {
  const { index, content_block: block } = event
  if (typeof index !== 'number' || !isJsonObject(block)) throw protocolViolation('A block of the stream has no index or no beginning.')
  if (isOver(rest)) throw protocolViolation('The stream goes on with a message that is over.')
  if (open.has(index)) throw protocolViolation('Two blocks of the stream have one index.')
  const input = memberTexts(memberTexts(data).get('content_block') ?? '{}').get('input') ?? null
  const growing = { block: { ...block }, input, partial: '', citations: [] }
  open.set(index, growing)
  blocks.push(growing)
}

function endBlock(assembly: Assembly, event: JsonObject): void {
  openBlock(assembly, event)
  assembly.open.delete(event['index'] as number)
}

function openBlock({ open }: Assembly, { index }: JsonObject): Growing {
  const growing = open.get(index as number)
  if (growing === undefined) throw protocolViolation('The stream goes on with a block that has not begun, or is over.')
  return growing
}

function grow(assembly: Assembly, event: JsonObject): void {
  const growing = openBlock(assembly, event)
  const { delta } = event
  if (!isJsonObject(delta)) throw protocolViolation('A piece of the stream is empty.')
  const { block } = growing
  const { type } = delta
  if (type === 'text_delta' && block['type'] === 'text') {
    block['text'] = textAt(block, 'text') + piece(delta, 'text')
    assembly.tell({ kind: 'text', text: piece(delta, 'text') })
  } else if (type === 'citations_delta' && block['type'] === 'text') {
    growing.citations.push(delta['citation'] ?? null)
  } else if (type === 'thinking_delta' && block['type'] === 'thinking') {
    block['thinking'] = textAt(block, 'thinking') + piece(delta, 'thinking')
    assembly.tell({ kind: 'thinking', text: piece(delta, 'thinking') })
  } else if (type === 'signature_delta' && block['type'] === 'thinking') {
    block['signature'] = piece(delta, 'signature')
  } else if (type === 'input_json_delta' && takesInput(growing)) {
    growing.partial += piece(delta, 'partial_json')
    if (block['type'] === 'tool_use') assembly.tell({ kind: 'call', text: piece(delta, 'partial_json') })
  } else throw protocolViolation('A piece of the stream does not belong to its block.')
}

function takesInput({ block, input }: Growing): boolean {
  return input !== null || textAt(block, 'type').endsWith('tool_use')
}

function piece(delta: JsonObject, name: string): string {
  const text = delta[name]
  if (typeof text !== 'string') throw protocolViolation('A piece of the stream is empty.')
  return text
}

function isOver(rest: Assembly['rest']): boolean {
  return textAt(rest ?? undefined, 'stop_reason') !== ''
}

/** Counts are of all so far; a count that is null is not told anew. */
function amend(assembly: Assembly, { delta, usage }: JsonObject): void {
  const { rest } = assembly
  if (rest === null || !isJsonObject(delta)) throw protocolViolation('The stream ends a message that has not begun.')
  const anew = textAt(delta, 'stop_reason')
  if (isOver(rest) && anew !== '' && anew !== rest['stop_reason']) throw protocolViolation('The stream ends its message in two ways.')
  const counts = isJsonObject(usage) ? Object.entries(usage).filter(([, count]) => count !== null) : []
  const before = isJsonObject(rest['usage']) ? rest['usage'] : {}
  assembly.rest = { ...rest, ...delta, usage: { ...before, ...Object.fromEntries(counts) } }
}

function whole({ rest, blocks, open }: Assembly): WireMessage {
  if (rest === null || open.size > 0) throw protocolViolation('The stream ends inside of a message.')
  return { rest, content: blocks.map(wireBlock) }
}

/** A call without arguments has no pieces, or empty ones: then what its block began with is all there is. */
function wireBlock({ block: begun, input, partial, citations }: Growing): WireBlock {
  const block = citations.length === 0 ? begun : { ...begun, citations }
  if (/^[ \t\n\r]*$/.test(partial)) return { block, input }
  if (input !== null && !/^\{\s*\}$/.test(input)) throw protocolViolation('A block of the stream has its input twice.')
  return { block, input: partial }
}
