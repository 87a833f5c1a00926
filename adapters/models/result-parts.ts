// A tool's result in the few kinds of parts that providers take; what a provider cannot take is named in words, never dropped.

import { isJsonObject, canonicalJson, type Json } from '../../machines/json.ts'
import { parseJson } from '../../machines/json-text.ts'
import type { ContentBlock, ToolResult } from '../../machines/tool.ts'

export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: 'image' | 'audio' | 'file'; readonly mimeType: string; readonly data: string; readonly name?: string }

/** The parts of a result, in order, none of them empty. A structured value that no text repeats stands behind them as JSON. */
export function resultParts({ content, structuredContent }: ToolResult): readonly ResultPart[] {
  const parts = content.map(partOf).filter(part => part.kind !== 'text' || part.text !== '')
  if (structuredContent === undefined || isRepeated(structuredContent, parts)) return parts
  return [...parts, { kind: 'text', text: JSON.stringify(structuredContent) }]
}

/** The whole result in words, and never none: some servers refuse a result that says nothing. */
export function resultWords(result: ToolResult): string {
  const words = resultParts(result).map(inWords).join('\n')
  return words === '' ? '(no content)' : words
}

/** The words for a part that a provider does not take. */
export function inWords(part: ResultPart): string {
  if (part.kind === 'text') return part.text
  const bytes = Buffer.byteLength(part.data, 'base64')
  return `[${[part.kind, part.name, part.mimeType, `${bytes} bytes`, 'cannot be shown here'].filter(word => word !== undefined).join(', ')}]`
}

/** Blocks of kinds that nobody knows are shown as the JSON that they are. */
function partOf(block: ContentBlock): ResultPart {
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { kind: type, mimeType, data }
  const resource = block['resource']
  if (type === 'resource' && isJsonObject(resource)) {
    const { uri, text: said, blob, mimeType: kind = 'application/octet-stream' } = resource
    if (typeof said === 'string') return { kind: 'text', text: said }
    if (typeof blob === 'string' && typeof kind === 'string')
      return { kind: 'file', mimeType: kind, data: blob, ...(typeof uri === 'string' ? { name: uri } : {}) }
  }
  return { kind: 'text', text: JSON.stringify(block) }
}

function isRepeated(value: Json, parts: readonly ResultPart[]): boolean {
  const canonical = canonicalJson(value)
  return parts.some(part => part.kind === 'text' && (part.text === value || canonicalOf(part.text) === canonical))
}

function canonicalOf(text: string): string | null {
  try {
    return canonicalJson(parseJson(text))
  } catch {
    // Most texts are no JSON.
    return null
  }
}
