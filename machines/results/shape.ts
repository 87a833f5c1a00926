// The MCP result shape: when a returned value has it, and how one that nearly has it is read.

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { ContentBlock, ToolResult } from '../tool.ts'

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta'])

/**
 * True for an object that is meant as a result: only the keys of a result, and at least one that makes it one.
 *
 * So a document that happens to have a `content` beside other keys is a value like any other.
 */
export function isResultShaped(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false
  const keys = Object.keys(value)
  if (!keys.every(key => RESULT_KEYS.has(key))) return false
  return Array.isArray(value['content']) || keys.includes('structuredContent') || typeof value['isError'] === 'boolean'
}

/** Reads a result: blocks of known kinds as they are, what is no block as a text of what stands there. `_meta` is not kept. */
export function readResult(value: JsonObject): ToolResult {
  const { content, structuredContent, isError } = value
  return {
    content: listOf(content).map(readBlock),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError: true } : {}),
  }
}

function listOf(content: Json | undefined): readonly Json[] {
  if (content === undefined || content === null) return []
  return Array.isArray(content) ? (content as readonly Json[]) : [content]
}

/** What a block of each known kind must hold. Blocks of other kinds are kept as they are. */
const NEEDED: { readonly [kind: string]: (block: JsonObject) => boolean } = {
  text: block => typeof block['text'] === 'string',
  image: hasData,
  audio: hasData,
  resource: block => isJsonObject(block['resource']),
  resource_link: block => typeof block['uri'] === 'string',
}

function hasData(block: JsonObject): boolean {
  return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string'
}

function readBlock(block: Json): ContentBlock {
  if (typeof block === 'string') return textBlock(block)
  if (!isJsonObject(block) || typeof block['type'] !== 'string') return textBlock(JSON.stringify(block))
  const whole = Object.hasOwn(NEEDED, block['type']) ? NEEDED[block['type']]?.(block) : true
  return whole === true ? (block as ContentBlock) : textBlock(JSON.stringify(block))
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** The words of a text block; none of any other block. */
export function wordsOf(block: ContentBlock): string {
  return block.type === 'text' && typeof block['text'] === 'string' ? block['text'] : ''
}

/** True when the model would be shown nothing. */
export function saysNothing(content: readonly ContentBlock[]): boolean {
  return content.every(block => block.type === 'text' && wordsOf(block).trim() === '')
}
