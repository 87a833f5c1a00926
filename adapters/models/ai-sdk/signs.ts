// What a provider's own words say of an answer and the interface leaves out.

import { isServerWord } from '../servers.ts'

export type Signs = {
  /** A response, or an item of it, is not complete by its own word. */
  readonly incomplete: boolean
  /** The model refused, whatever else it said. */
  readonly refused: boolean
  /** The provider called a tool server, or looked at what one has. */
  readonly server: boolean
}

export const NO_SIGNS: Signs = { incomplete: false, refused: false, server: false }

/**
 * Looks at a response, or at an event of a stream, in the form of OpenAI Responses, of Chat Completions or of Anthropic Messages. In any
 * other form nothing is found.
 *
 * @param before what was found in the events before
 */
export function signsOf(raw: unknown, before = NO_SIGNS): Signs {
  const response = member(raw, 'response') ?? raw
  const isOpenAI = member(response, 'object') === 'response'
  const items = [...list(member(response, 'output')), member(raw, 'item'), ...list(member(raw, 'content')), member(raw, 'content_block')]
  return {
    incomplete: before.incomplete || (!BEGINNINGS.has(member(raw, 'type')) && [isOpenAI ? response : null, ...items].some(isIncomplete)),
    refused: before.refused || items.some(saysNo) || list(member(raw, 'choices')).some(saysNo),
    server: before.server || items.some(item => isServerWord(wordOf(item, 'type') ?? '')),
  }
}

/** A message with a part that is a refusal, or a choice that has one beside its content. */
function saysNo(item: unknown): boolean {
  if (list(member(item, 'content')).some(part => wordOf(part, 'type') === 'refusal')) return true
  return [member(item, 'message'), member(item, 'delta')].some(message => (wordOf(message, 'refusal') ?? '') !== '')
}

/** Events that tell of what has only begun: later ones say what came of it. */
const BEGINNINGS: ReadonlySet<unknown> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
])
/** What is asked of this side, and what is said: of these none may have failed. */
const OWN_ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'message'])

function isIncomplete(item: unknown): boolean {
  const status = member(item, 'status') ?? null
  if (status === null || status === 'completed') return false
  return status !== 'failed' || OWN_ITEMS.has(member(item, 'type'))
}

function wordOf(value: unknown, name: string): string | undefined {
  const word = member(value, name)
  return typeof word === 'string' ? word : undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown })[name] : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
