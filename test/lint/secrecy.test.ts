// Goal: what stands in a history never comes out of the lint but for ids and names, and those cannot steer a terminal.

import { expect, test } from 'vitest'
import { lintCatalog } from '../../adapters/lint/catalog/lint.ts'
import { repeatedKeys } from '../../adapters/lint/repeated-keys.ts'
import { checkTranscript } from '../../adapters/lint/transcript/check.ts'
import { anthropic, chat, responses, type History } from './histories.ts'

const CANARY = 'canary-7f3a'
const HOSTILE = '\u001b]0;owned\u0007\u202e\n'

test.each<[string, History]>([
  [
    'Chat Completions',
    [
      { role: 'user', content: CANARY },
      { role: 'assistant', content: `<tool_call>{"name":"${CANARY}"}`, tool_calls: [chat.call('a', `{"${CANARY}":1,"${CANARY}":2}`)] },
      chat.tool('b', CANARY),
      { role: 'user', content: CANARY },
      chat.tool('a', CANARY),
      { kind: CANARY },
    ],
  ],
  [
    'Anthropic Messages',
    [
      anthropic.assistant(anthropic.text(CANARY), anthropic.use('a', CANARY), anthropic.use('a', [CANARY])),
      anthropic.user(anthropic.text(CANARY), anthropic.result('a', CANARY)),
      anthropic.user(anthropic.result('b', [anthropic.text(CANARY)])),
    ],
  ],
  [
    'Responses items',
    [responses.call('a', CANARY), { role: 'user', content: CANARY }, responses.output('a', CANARY), responses.output('c', CANARY)],
  ],
])('nothing of %s is repeated', (_format, history) => {
  const findings = checkTranscript(history)
  expect(findings.length).toBeGreaterThan(1)
  expect(JSON.stringify(findings)).not.toContain(CANARY)
})

test('ids and names are made safe, and cut where they are long', () => {
  const long = 'x'.repeat(100_000)
  const findings = checkTranscript([
    chat.assistant(chat.call(HOSTILE, '[]', HOSTILE), chat.call(long, '[]', long)),
    { role: 'user', content: '' },
  ])
  expect(findings).toHaveLength(4)
  for (const { what, tool } of findings) {
    expect(`${what}${tool}`).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(`${what}${tool}`.length).toBeLessThan(500)
  }
})

test('a repeated key is told by the place of its message, and never by keys that the model wrote', () => {
  expect(repeatedKeys(`[{"role":"assistant","content":[{"type":"tool_use","input":{"${CANARY}":{"a":1,"a":2}}}]}]`)).toEqual([
    '[0].content[0].input…',
  ])
})

test('words of an earlier catalog are made safe as well', () => {
  const now = { name: `find${HOSTILE}`, inputSchema: true, replayPolicy: 'read-only' } as const
  const before = { ...now, replayPolicy: `x${HOSTILE}` as 'read-only' }
  const findings = lintCatalog([now], { against: [before, { ...before, name: `gone${HOSTILE}` }] })
  expect(findings.map(({ finding }) => finding)).toContain('replay-policy-changed')
  expect(findings.map(({ what, path, tool }) => `${what}${path}${tool}`).join('')).not.toMatch(/[\p{Cc}\u202e]/u)
})

test('so are those of a catalog', () => {
  const property = { type: 'string', description: `One of ${CANARY}, b or c.` }
  const findings = lintCatalog([
    { name: `run${HOSTILE}`, description: CANARY, inputSchema: { type: 'object', properties: { [`a${HOSTILE}`]: property } } },
  ])
  expect(findings.length).toBeGreaterThan(3)
  expect(findings.map(({ what, path, tool }) => `${what}${path}${tool}`).join('')).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(JSON.stringify(findings)).not.toContain(CANARY)
})
