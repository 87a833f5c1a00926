// Goal: text that looks like a call is seen to be such, and ordinary text is not.

import { describe, expect, test } from 'vitest'
import { looksLikeCall } from '../../adapters/lint/transcript/call-like.ts'

describe('a text', () => {
  test.each([
    '<tool_call>{"name":"wipe","arguments":{}}</tool_call>',
    'I will now: <invoke name="wipe"><parameter name="all">true</parameter></invoke>',
    '<function=wipe>{}</function>',
    '[TOOL_CALLS][{"name":"wipe","arguments":{}}]',
    '<|python_tag|>wipe()',
    '{"name":"wipe","arguments":{}}',
    ' [{"name":"wipe","parameters":{"all":true}}] ',
    'Like this:\n```json\n{"tool":"wipe","input":{}}\n```\nDone.',
    '{"type":"function","function":{"name":"wipe","arguments":"{}"}}',
  ])('%s looks like a call', text => {
    expect(looksLikeCall(text)).toBe(true)
  })

  test.each([
    'It is on its way.',
    '',
    '{"name":"Ana","city":"Graz"}',
    '[]',
    '[1,2]',
    '{"name":"wipe","arguments":',
    'Call the tool `wipe` with {"all":true}.',
    '```json\n{"orders":[42]}\n```',
    'Use <b>bold</b> text to invoke interest.',
  ])('%s does not', text => {
    expect(looksLikeCall(text)).toBe(false)
  })

  test('of any length is looked at in no time', () => {
    expect(looksLikeCall('['.repeat(30_000) + ']'.repeat(30_000))).toBe(false)
    for (const piece of ['<', '```', '[{"name":', '`', '{"a":']) expect(looksLikeCall(piece.repeat(100_000))).toBe(false)
  })
})
