// What a scripted model says: its entries, in the words of scenario files, and what each of them means to the model port.

import { ToolturnError } from '../../machines/errors.ts'
import type { Completion } from '../../machines/events/round.ts'
import type { Json } from '../../machines/json.ts'
import type { ModelFailure, ModelItem, ModelRound } from '../../machines/ports/model.ts'
import { httpFailure, modelFailure } from './failure.ts'

/** One piece of an answer. Argument text is used as it is; any other JSON value is written out as text. */
export type ScriptedContent =
  | { readonly text: string }
  | { readonly call: { readonly id?: string; readonly name: string; readonly arguments?: Json } }
  | { readonly opaque: Json }
  | { readonly providerTool: { readonly name: string; readonly input?: Json; readonly result?: Json } }

export type ScriptedAnswer = {
  /** tool_calls, end, length, context, refusal, filter, pause; any other word is one that nobody knows. */
  readonly stop: string
  readonly content: readonly ScriptedContent[]
  readonly refusal?: string
}

export type ScriptedFailure = {
  readonly fail: { readonly kind: 'http'; readonly status: number } | { readonly kind: 'timeout' | 'reset' }
}

/** One answer, or one failure to answer. */
export type ScriptedRound = ScriptedAnswer | ScriptedFailure

export function isFailure(entry: ScriptedRound): entry is ScriptedFailure {
  return 'fail' in entry
}

const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['tool_calls', 'clean'],
  ['end', 'clean'],
  ['length', 'truncated'],
  ['context', 'truncated'],
  ['refusal', 'refused'],
  ['filter', 'refused'],
  ['pause', 'paused'],
])

/** The round that an answer gives. A stop word that nobody knows is never clean. */
export function roundOf({ stop, content, refusal }: ScriptedAnswer): ModelRound {
  return {
    completion: COMPLETIONS.get(stop) ?? 'truncated',
    stop,
    items: content.map(itemOf),
    ...(refusal === undefined ? {} : { refusal }),
  }
}

function itemOf(piece: ScriptedContent): ModelItem {
  if ('text' in piece) return { kind: 'text', text: piece.text }
  if ('opaque' in piece) return { kind: 'opaque', value: piece.opaque }
  if ('providerTool' in piece) return { kind: 'provider-tool', ...piece.providerTool }
  const { id, name, arguments: given } = piece.call
  return { kind: 'call', id: id ?? null, name, arguments: argumentText(given) }
}

function argumentText(given: Json | undefined): string | null {
  if (given === undefined) return null
  return typeof given === 'string' ? given : JSON.stringify(given)
}

/** What is thrown in place of an answer. */
export function failureOf({ fail }: ScriptedFailure): Error & ModelFailure {
  if (fail.kind === 'http') return httpFailure('The scripted model', fail.status)
  return modelFailure(`The scripted model gave no answer: ${fail.kind}.`, { kind: fail.kind, code: 'model_unavailable', final: false })
}

/** The script has no answer left, and would have none if it were asked again. @param asked requests of this attempt */
export function exhausted(asked: number): Error & ModelFailure {
  const message = `The scripted model was asked ${asked} times in this attempt and has no answer left.`
  return modelFailure(message, { kind: 'protocol', code: 'mock_program_exhausted', final: true })
}

/**
 * Looks at a script as it is handed in.
 *
 * @throws ToolturnError `option_invalid` with the position of the entry that is none
 */
export function checkScript(rounds: unknown): asserts rounds is readonly ScriptedRound[] {
  if (!Array.isArray(rounds) || rounds.length === 0) refuse('rounds', 'a list of at least one round')
  for (const [index, entry] of rounds.entries()) if (!isEntry(entry)) refuse(`rounds[${index}]`, '{ stop, content } or { fail }')
}

function isEntry(entry: unknown): boolean {
  if (!isRecord(entry)) return false
  if ('fail' in entry) return isRecord(entry['fail']) && isFail(entry['fail'])
  return typeof entry['stop'] === 'string' && Array.isArray(entry['content']) && entry['content'].every(isPiece)
}

function isFail({ kind, status }: Record<string, unknown>): boolean {
  return kind === 'timeout' || kind === 'reset' || (kind === 'http' && typeof status === 'number')
}

function isPiece(piece: unknown): boolean {
  if (!isRecord(piece)) return false
  const { text, call, providerTool } = piece
  if (isRecord(call)) return typeof call['name'] === 'string'
  if (isRecord(providerTool)) return typeof providerTool['name'] === 'string'
  return typeof text === 'string' || 'opaque' in piece
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuse(option: string, expected: string): never {
  throw new ToolturnError('option_invalid', `\`${option}\` of a scripted model is not valid: expected ${expected}.`, { option, expected })
}
