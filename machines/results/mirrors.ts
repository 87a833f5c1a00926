// A result says a structured value twice: as a value and, as MCP asks for, as JSON in a text block. Redaction must reach both.

import { canonicalJson, type Json } from '../json.ts'
import type { ToolResult } from '../tool.ts'
import { textBlock } from './shape.ts'
import { parseJson } from '../json-text.ts'

/**
 * Lets a text block that only repeats the structured value repeat what redaction left of it: a field that is secret in one
 * must not be readable in the other.
 *
 * @param before the result as the tool gave it
 * @param after the same result, each part redacted by itself
 */
export function redactMirrors(before: ToolResult, after: ToolResult): ToolResult {
  if (before.structuredContent === undefined || after.structuredContent === undefined) return after
  const mirrored = canonicalJson(before.structuredContent)
  if (canonicalJson(after.structuredContent) === mirrored) return after
  const text = JSON.stringify(after.structuredContent)
  const content = after.content.map((block, index) => {
    const said = before.content[index]
    return said?.type === 'text' && canonicalOf(said['text']) === mirrored ? textBlock(text) : block
  })
  return { ...after, content }
}

function canonicalOf(text: Json | undefined): string | null {
  try {
    return typeof text === 'string' ? canonicalJson(parseJson(text)) : null
  } catch {
    return null
  }
}
