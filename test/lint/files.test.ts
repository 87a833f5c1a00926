// Goal: a history is found in whatever its file wraps it, each message has its place in that file, and what is no history is turned away.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { repeatedKeys } from '../../adapters/lint/repeated-keys.ts'
import { checkFile } from '../../adapters/lint/transcript/file.ts'
import { anthropic, chat, responses, rpc, user, wordsOf } from './histories.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolturn-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0

function fileOf(text: string): string {
  files += 1
  const path = join(folder, `${files}.json`)
  writeFileSync(path, text)
  return path
}

const json = (value: unknown): string => fileOf(JSON.stringify(value, null, 2))
const lines = (...values: unknown[]): string => fileOf(`${values.map(value => JSON.stringify(value)).join('\n')}\n`)
const found = (path: string): readonly string[] => wordsOf(checkFile(path).flatMap(({ findings }) => findings))

const broken = [user, chat.assistant(chat.call('a'))]

describe('a file', () => {
  test.each<[string, () => string, string]>([
    ['a list of messages', () => json(broken), '[1].tool_calls[0]'],
    ['a list with a byte-order mark', () => fileOf(`\uFEFF${JSON.stringify(broken)}`), '[1].tool_calls[0]'],
    [
      'lines of messages, and blank ones',
      () => fileOf(`${JSON.stringify(broken[0])}\n\n${JSON.stringify(broken[1])}\n`),
      'line 3: tool_calls[0]',
    ],
    ['a request', () => json({ model: 'm', messages: broken, tools: [] }), 'messages[1].tool_calls[0]'],
    ['lines of conversations', () => lines({ id: 1, messages: [user] }, { id: 2, messages: broken }), 'line 2: messages[1].tool_calls[0]'],
    ['a list of conversations', () => json([{ messages: [user] }, { messages: broken }]), '[1].messages[1].tool_calls[0]'],
    ['a list of lists', () => json([[user], broken]), '[1][1].tool_calls[0]'],
    ['a request and its response', () => json({ input: [user], output: [responses.call('a')] }), 'output[0]'],
    [
      'a response',
      () => json({ choices: [{ index: 0, message: broken[1], finish_reason: 'tool_calls' }] }),
      'choices[0].message.tool_calls[0]',
    ],
    ['a message', () => json({ type: 'message', ...anthropic.assistant(anthropic.use('a')), stop_reason: 'tool_use' }), 'content[0]'],
    ['a session', () => lines(rpc.call(1), rpc.call(2), rpc.result(1)), 'line 2'],
    ['a line of a session', () => lines(rpc.call(1)), ''],
  ])('of %s is read', (_what, write, place) => {
    expect(found(write())).toEqual([`trimmed-behind-call ${place}`])
  })

  test.each<[string, string, RegExp]>([
    ['nothing', '', /holds no messages/],
    ['no messages', '{"messages":[]}', /holds no messages/],
    ['something else', '{"error":{"message":"no"}}', /holds no messages/],
    ['a text', '"hello"', /holds no messages/],
    ['no JSON', '# A title', /neither JSON nor lines of JSON: line 1 is none/],
    ['a broken line', `${JSON.stringify(user)}\n{"role":`, /line 2 is none/],
  ])('of %s is turned away', (_what, text, message) => {
    expect(() => checkFile(fileOf(text))).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.stringMatching(message) }),
    )
  })

  test('that is not there is turned away', () => {
    expect(() => checkFile(join(folder, 'absent.json'))).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test('that is nested without end is no history, and breaks nothing', () => {
    const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(found(fileOf(deep(50_000)))).toEqual(['message-unknown [0][0][0][0]'])
    expect(found(fileOf(`[{"role":"user","content":${deep(50_000)}}]`))).toEqual([])
    expect(checkFile(fileOf(`[{"role":"tool","tool_call_id":"a","content":${deep(50_000)}}]`))).toHaveLength(1)
  })

  test('whose text holds a key twice says so: its readers see one of them only', () => {
    const input = '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{"id":1,"id":2}}]}'
    const result = JSON.stringify(anthropic.user(anthropic.result('a')))
    expect(found(fileOf(`[${input},${result}]`))).toEqual(['keys-repeated [0].content[0].input'])
    expect(found(fileOf(`${result.replace('tool_result', 'text')}\n${input}\n${result}`))).toEqual([
      'keys-repeated line 2: content[0].input',
    ])
    expect(found(fileOf(`[${input.replace('"id":2', '"of":2')},${result}]`))).toEqual([])
  })
})

describe('keys that are there twice', () => {
  test.each<[string, readonly string[]]>([
    ['{"a":1,"a":2}', ['']],
    ['{"a":1,"\\u0061":2}', ['']],
    ['[0,{"content":{"a":1,"c":[],"a":2}}]', ['[1].content']],
    ['{"items":[{"x":1},{"x":1,"x":1}],"input":{"x":1,"x":1}}', ['items[1]', 'input']],
    ['{"input":{"b":[{"x":1,"x":1}],"c":{"x":1,"x":1}}}', ['input…']],
    ['{"a":{"a":{"a":1}},"b":"\\"a\\":1,\\"a\\":2"}', []],
    ['["a","a",{"a":"a"}]', []],
  ])('%s', (text, places) => {
    expect(repeatedKeys(text)).toEqual(places)
  })

  test('are not looked for inside of strings, however long and however escaped', () => {
    expect(repeatedKeys(JSON.stringify({ a: '\n'.repeat(2_000_000), b: '"a":', c: '\\', d: '\\"' }))).toEqual([])
    expect(repeatedKeys('{"a\\\\":1,"a":2,"a\\\\":3}')).toEqual([''])
  })

  test('of a large text are found at the depth of any', () => {
    const depth = 20_000
    expect(repeatedKeys(`${'['.repeat(depth)}{"a":1,"a":2}${']'.repeat(depth)}`)).toEqual(['[0]'.repeat(depth)])
  })
})
