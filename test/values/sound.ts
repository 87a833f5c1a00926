// What holds of every result, wherever it came from.

import { expect } from 'vitest'
import { canonicalJson } from '../../machines/json.ts'
import type { ToolResult } from '../../machines/tool.ts'

/** All words of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map(block => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n')
}

/** It has the shape, says something, and a store gives it back as it was. */
export function expectSound(result: ToolResult): void {
  expect(result.content.length).toBeGreaterThan(0)
  for (const block of result.content) expect(typeof block.type).toBe('string')
  expect(Object.keys(result).every(key => ['content', 'structuredContent', 'isError'].includes(key))).toBe(true)
  expect(JSON.parse(canonicalJson(result))).toEqual(result)
  expect(result.content.every(block => block.type === 'text') && textOf(result).trim() === '').toBe(false)
}
