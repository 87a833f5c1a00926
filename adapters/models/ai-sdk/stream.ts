// A stream put together to the answer that it tells in pieces. What contradicts itself is no answer: two pieces are never made into
// one call, and a call that began and never came is missed.

import type { LanguageModelV4Content, LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import type { AskContext } from '../../../machines/ports/model.ts'
import { cutOff, protocolViolation } from '../failure.ts'
import { failureOf } from './failures.ts'
import type { Answer } from './round.ts'
import { NO_SIGNS, signsOf, type Signs } from './signs.ts'

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>
type Metadata = LanguageModelV4Content['providerMetadata']

type Whole = { readonly kind: 'whole'; readonly part: LanguageModelV4Content }
type Block = { readonly kind: 'block'; readonly type: 'text' | 'reasoning'; text: string; metadata: Metadata }
/** A call that began: what was told of it, and the call itself once it came. */
type Begun = {
  readonly kind: 'begun'
  readonly id: string
  readonly toolName: string
  readonly providerExecuted: boolean
  text: string
  part: LanguageModelV4ToolCall | null
}

/** What was told so far. */
type Told = {
  readonly who: string
  readonly onDelta: AskContext['onDelta']
  /** The places of the answer, in their order. */
  readonly places: (Whole | Block | Begun)[]
  /** Blocks that are open, by kind and id. */
  readonly blocks: Map<string, Block>
  /** Calls that began and did not come yet, by id. */
  readonly begun: Map<string, Begun>
  signs: Signs
  finish: Part<'finish'> | null
  /** Characters of all pieces. */
  characters: number
}

/** More than any answer that could be recorded. */
const MOST_CHARACTERS = 33_554_432
const MOST_PLACES = 10_000

export type Assembly = {
  /** @throws ModelFailure for an error that the stream tells, and for what contradicts what came before */
  readonly take: (part: LanguageModelV4StreamPart) => void
  /** @throws ModelFailure where the stream is over and its answer is not whole */
  readonly answer: () => Answer
}

/** @param who what is named in failures */
export function assembly(who: string, onDelta: AskContext['onDelta']): Assembly {
  const told: Told = { who, onDelta, places: [], blocks: new Map(), begun: new Map(), signs: NO_SIGNS, finish: null, characters: 0 }
  return { take: part => take(told, part), answer: () => answer(told) }
}

function take(told: Told, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case 'text-start':
      return openBlock(told, 'text', part)
    case 'reasoning-start':
      return openBlock(told, 'reasoning', part)
    case 'text-delta':
    case 'reasoning-delta':
      return tellBlock(told, part)
    case 'text-end':
      return closeBlock(told, 'text', part)
    case 'reasoning-end':
      return closeBlock(told, 'reasoning', part)
    case 'tool-input-start':
      return beginCall(told, part)
    case 'tool-input-delta':
      return tellCall(told, part)
    case 'tool-call':
      return giveCall(told, part)
    case 'finish':
      return finish(told, part)
    case 'error':
      throw failureOf(told.who, part.error)
    case 'raw':
      told.signs = signsOf(part.rawValue, told.signs)
      return
    case 'tool-input-end':
    case 'stream-start':
    case 'response-metadata':
    case 'ping':
      return
    default:
      return put(told, { kind: 'whole', part })
  }
}

function violation({ who }: Told, what: string): Error {
  return protocolViolation(`The stream of ${who} ${what}.`)
}

function put(told: Told, place: Whole | Block | Begun): void {
  if (told.finish !== null) throw violation(told, 'went on after its end')
  if (told.places.length === MOST_PLACES) throw violation(told, 'has more parts than are taken in')
  told.places.push(place)
}

function grow(told: Told, place: Block | Begun, piece: string): void {
  told.characters += piece.length
  if (told.characters > MOST_CHARACTERS) throw violation(told, 'is over the size that is taken in')
  place.text += piece
}

function openBlock(told: Told, type: Block['type'], { id, providerMetadata }: Part<'text-start' | 'reasoning-start'>): void {
  const block: Block = { kind: 'block', type, text: '', metadata: providerMetadata }
  if (told.blocks.has(`${type} ${id}`)) throw violation(told, 'began a block twice')
  put(told, block)
  told.blocks.set(`${type} ${id}`, block)
}

/** The open block of a piece. Metadata that comes later stands for all of it. */
function blockOf(told: Told, type: Block['type'], piece: Part<'text-delta' | 'text-end' | 'reasoning-delta' | 'reasoning-end'>): Block {
  const block = told.blocks.get(`${type} ${piece.id}`)
  if (block === undefined) throw violation(told, 'went on with a block that it did not begin')
  block.metadata = piece.providerMetadata ?? block.metadata
  return block
}

function tellBlock(told: Told, piece: Part<'text-delta' | 'reasoning-delta'>): void {
  const type = piece.type === 'text-delta' ? 'text' : 'reasoning'
  grow(told, blockOf(told, type, piece), piece.delta)
  if (piece.delta !== '') told.onDelta({ kind: type === 'text' ? 'text' : 'thinking', text: piece.delta })
}

function closeBlock(told: Told, type: Block['type'], piece: Part<'text-end' | 'reasoning-end'>): void {
  blockOf(told, type, piece)
  told.blocks.delete(`${type} ${piece.id}`)
}

function beginCall(told: Told, { id, toolName, providerExecuted = false }: Part<'tool-input-start'>): void {
  const call: Begun = { kind: 'begun', id, toolName, providerExecuted, text: '', part: null }
  if (told.begun.has(id)) throw violation(told, 'began a call twice')
  put(told, call)
  told.begun.set(id, call)
}

function tellCall(told: Told, { id, delta }: Part<'tool-input-delta'>): void {
  const call = told.begun.get(id)
  if (call === undefined) throw violation(told, 'went on with a call that it did not begin')
  grow(told, call, delta)
  if (!call.providerExecuted && delta !== '') told.onDelta({ kind: 'call', text: delta })
}

/** The call as a whole: its own text counts, whatever was told of it before. */
function giveCall(told: Told, part: LanguageModelV4ToolCall): void {
  const call = told.begun.get(part.toolCallId)
  if (call === undefined) {
    put(told, { kind: 'whole', part })
    if (part.providerExecuted !== true && part.input !== '') told.onDelta({ kind: 'call', text: part.input })
    return
  }
  if (call.toolName !== part.toolName) throw violation(told, 'gave a call another name than it began with')
  call.part = part
  told.begun.delete(part.toolCallId)
}

function finish(told: Told, part: Part<'finish'>): void {
  if (told.finish !== null) throw violation(told, 'ended twice')
  told.finish = part
}

function answer(told: Told): Answer {
  if (told.finish === null) throw cutOff(told.who)
  const { finishReason, usage } = told.finish
  const whole = finishReason.unified === 'stop' || finishReason.unified === 'tool-calls'
  if (whole && !told.signs.incomplete && told.begun.size > 0) throw violation(told, 'ended before a call that it began')
  return { content: told.places.map(contentOf), finishReason, usage, signs: told.signs }
}

/** Of a call that never came, in an answer that ran out of room, what was told stands in its place: it is not run. */
function contentOf(place: Whole | Block | Begun): LanguageModelV4Content {
  if (place.kind === 'whole') return place.part
  if (place.kind === 'begun') {
    const { id, toolName, providerExecuted, text, part } = place
    return part ?? { type: 'tool-call', toolCallId: id, toolName, input: text, providerExecuted }
  }
  const { type, text, metadata } = place
  return { type, text, ...(metadata === undefined ? {} : { providerMetadata: metadata }) }
}
