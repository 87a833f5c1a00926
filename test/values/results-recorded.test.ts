// A result is recorded whole or as a short form that says so, and redaction reaches the value in both of its forms.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../machines/json.ts'
import { boundResult, normaliseResult } from '../../machines/result.ts'
import { redactMirrors } from '../../machines/results/mirrors.ts'
import type { ToolResult } from '../../machines/tool.ts'
import { expectSound, textOf } from './sound.ts'

describe('a result for the record', () => {
  const result = normaliseResult('é'.repeat(2_000))
  const bytes = Buffer.byteLength(canonicalJson(result))

  it('is whole up to its bound and not one byte over it', () => {
    for (const [bound, truncated] of [
      [bytes + 1, false],
      [bytes, false],
      [bytes - 1, true],
    ] as const) {
      const recorded = boundResult(result, bound)
      expect(recorded).toMatchObject({ bytes, truncated })
      expect(recorded.result === result).toBe(!truncated)
      expect(recorded.digest).toBe(boundResult(result, 1e9).digest)
    }
  })

  it('over it is a valid short form with digest and marker, within the bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 400, maxLength: 900 }), fc.integer({ min: 200, max: 400 }), (text, bound) => {
        const recorded = boundResult(normaliseResult(`x${text}`), bound)
        expect(recorded.truncated).toBe(true)
        expectSound(recorded.result)
        expect(Buffer.byteLength(canonicalJson(recorded.result))).toBeLessThanOrEqual(bound)
        const shown = textOf(recorded.result)
        const mark = shown.lastIndexOf('\n[truncated: ')
        expect(`x${text}`.startsWith(shown.slice(0, mark))).toBe(true)
        const missing = recorded.bytes - Buffer.byteLength(shown.slice(0, mark))
        expect(shown.slice(mark)).toBe(`\n[truncated: ${missing} of ${recorded.bytes} bytes are left out; sha256 ${recorded.digest}]`)
      }),
    )
  })

  it('is cut between characters, never inside one', () => {
    const faces = normaliseResult('😀'.repeat(200))
    for (let bound = 200; bound < 240; bound += 1) expect(textOf(boundResult(faces, bound).result).isWellFormed()).toBe(true)
  })

  it('keeps that it is an error, and shows the value where there are no words', () => {
    expect(boundResult({ content: [{ type: 'text', text: 'x'.repeat(900) }], isError: true }, 300).result.isError).toBe(true)
    const pictured: ToolResult = { content: [{ type: 'image', data: 'x'.repeat(900), mimeType: 'image/png' }], structuredContent: { a: 1 } }
    expect(textOf(boundResult(pictured, 300).result)).toMatch(/^\{"a":1\}\n\[truncated/)
  })

  it('has the marker even where the bound has no room for it', () => {
    const recorded = boundResult(normaliseResult('x'), 0)
    expect(recorded.truncated).toBe(true)
    expectSound(recorded.result)
  })

  it('has one digest for one value, whatever the order of its keys', () => {
    expect(boundResult({ content: [], structuredContent: { a: 1, b: 2 } }, 0).digest).toBe(
      boundResult({ structuredContent: { b: 2, a: 1 }, content: [] }, 0).digest,
    )
  })
})

describe('a value that is also told as text', () => {
  const masked = (structuredContent: Json, before: ToolResult): ToolResult => redactMirrors(before, { ...before, structuredContent })

  it('is masked in the text as well, however the text was spaced', () => {
    const value = { id: 1, pin: 'CANARY' }
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), '{"pin":"CANARY","id":1}']) {
      const before: ToolResult = {
        content: [
          { type: 'text', text },
          { type: 'text', text: 'done' },
        ],
        structuredContent: value,
      }
      expect(masked({ id: 1, pin: '[redacted]' }, before).content).toEqual([
        { type: 'text', text: '{"id":1,"pin":"[redacted]"}' },
        { type: 'text', text: 'done' },
      ])
    }
  })

  it('is left alone where nothing was masked', () => {
    const before: ToolResult = { content: [{ type: 'text', text: '{ "id": 1 }' }], structuredContent: { id: 1 } }
    expect(masked({ id: 1 }, before)).toEqual(before)
  })
})
