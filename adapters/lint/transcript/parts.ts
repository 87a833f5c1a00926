// What the formats have in common: members of objects that nobody vouches for, texts, and what counts as an empty result.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import type { Place, Said, Step } from './history.ts'

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** True for an id that can pair something: a text that is not empty. */
export function idOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A name, or what stands for one that is missing. */
export function toolOf(value: Json | undefined): string {
  return textOf(value) ?? '(no name)'
}

/** Nothing, blank text, no blocks, or blocks of blank text only. */
export function isEmptyContent(content: Json | undefined): boolean {
  if (content === undefined || content === null) return true
  if (!Array.isArray(content)) return typeof content === 'string' && isBlank(content)
  return content.every((block: Json) => isBlank(isJsonObject(block) ? (block['text'] ?? false) : block))
}

function isBlank(value: Json): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/** Texts of a message: the content itself, or the text blocks in it, whatever each format calls them. */
export function saidIn(content: Json | undefined, message: number, inside: string): readonly Said[] {
  if (typeof content === 'string') return [{ at: { message, inside }, text: content }]
  return listOf(content).flatMap((block, index): readonly Said[] => {
    if (!isJsonObject(block) || !TEXT_BLOCKS.has(textOf(block['type']) ?? '')) return []
    return typeof block['text'] === 'string' ? [{ at: { message, inside: `${inside}[${index}]` }, text: block['text'] }] : []
  })
}

const TEXT_BLOCKS: ReadonlySet<string> = new Set(['text', 'output_text'])

/** Types of the blocks of a message, in their order; those without one are left out. */
export function kindsIn(content: Json | undefined): readonly string[] {
  return listOf(content).flatMap(block => (isJsonObject(block) && typeof block['type'] === 'string' ? [block['type']] : []))
}

/** A message that may be wrapped in its response or in the line of a log. Null for what is none. */
export type Opened = { readonly message: JsonObject; readonly wrapper: JsonObject; readonly inside: string }

export function opened(element: unknown): Opened | null {
  if (!isJsonObject(element)) return null
  const inner = element['message']
  const wraps = element['role'] === undefined && isJsonObject(inner) && (inner['role'] !== undefined || inner['jsonrpc'] !== undefined)
  return wraps ? { message: inner, wrapper: element, inside: '.message' } : { message: element, wrapper: element, inside: '' }
}

/** Roles of those who speak to the model. */
const SPEAKERS: ReadonlySet<string> = new Set(['system', 'user', 'developer'])

export function speaks(role: Json | undefined): boolean {
  return typeof role === 'string' && SPEAKERS.has(role)
}

export function unread(at: Place, foreign: boolean): Step {
  return { kind: 'unread', at, foreign }
}
