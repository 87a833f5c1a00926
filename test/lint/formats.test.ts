// Goal: a history is read in the format it is written in, and what is no call in that format is not taken for one.

import { describe, expect, test } from 'vitest'
import { checkTranscript } from '../../adapters/lint/transcript/check.ts'
import { dialectOf, type TranscriptFormat } from '../../adapters/lint/transcript/format.ts'
import { anthropic, chat, responses, rpc, sampling, user, wordsOf, type History } from './histories.ts'

const own = [
  { role: 'user', text: 'Where is it?' },
  { role: 'assistant', content: [{ kind: 'call', id: 'a', name: 'find', arguments: '{}' }] },
  { role: 'tool', results: [{ id: 'a', tool: 'find', outcome: 'executed', result: { content: [{ type: 'text', text: 'found' }] } }] },
]

describe('the format', () => {
  test.each<[string, History]>([
    ['Anthropic Messages', [user, anthropic.assistant(anthropic.use('a')), anthropic.user(anthropic.result('a'))]],
    ['Chat Completions', [user, chat.assistant(chat.call('a')), chat.tool('a')]],
    ['Responses items', [user, responses.call('a'), responses.output('a')]],
    ['MCP sampling', [user, { role: 'assistant', content: sampling.use('a') }, { role: 'user', content: [sampling.result('a')] }]],
    ['an MCP session', [rpc.call(1), rpc.result(1)]],
    ['toolturn messages', own],
    ['Chat Completions', [user, chat.says('Hello.')]],
  ])('is seen: %s', (name, history) => {
    expect(dialectOf(history).name).toBe(name)
    expect(checkTranscript(history)).toEqual([])
  })

  test.each<[TranscriptFormat, string]>([
    ['anthropic', 'Anthropic Messages'],
    ['openai', 'Chat Completions'],
    ['mcp', 'MCP sampling'],
    ['toolturn', 'toolturn messages'],
  ])('%s, where it is said and nothing shows it', (format, name) => {
    expect(dialectOf([user], format).name).toBe(name)
  })

  test.each<[TranscriptFormat, History]>([
    ['anthropic', [user, chat.assistant(chat.call('a')), chat.tool('a')]],
    ['anthropic', [responses.call('a')]],
    ['openai', [responses.call('a'), responses.output('a'), anthropic.user(anthropic.result('b'))]],
    ['openai', [anthropic.assistant(anthropic.use('a'))]],
    ['openai', own],
    ['toolturn', [user, chat.assistant(chat.call('a'))]],
    ['mcp', [chat.assistant(chat.call('a')), chat.tool('a')]],
  ])('%s, said of another one, is an error and no clean bill', (format, history) => {
    const findings = checkTranscript(history, format)
    expect(new Set(findings.map(({ finding }) => finding))).toContain('format-mixed')
    expect(findings.some(({ severity }) => severity === 'error')).toBe(true)
  })

  test.each([null, 7, 'text', [], { role: 'robot' }])('%j is no message of any', element => {
    expect(wordsOf(checkTranscript([user, element]))).toEqual(['message-unknown [1]'])
  })
})

describe('what is no call of ours', () => {
  test('the provider ran it, and its result stands in the same message', () => {
    expect(
      checkTranscript([
        user,
        anthropic.assistant(
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
          { type: 'mcp_tool_use', id: 'm', name: 'echo', input: {} },
          { type: 'mcp_tool_result', tool_use_id: 'm', content: [] },
          anthropic.use('a'),
        ),
        anthropic.user(anthropic.result('a')),
      ]),
    ).toEqual([])
  })

  test('items that the provider answers itself', () => {
    const items = ['web_search_call', 'file_search_call', 'mcp_list_tools', 'reasoning', 'mcp_call'].map(type => ({ type, id: type }))
    expect(checkTranscript([user, ...items, responses.call('a'), responses.output('a')])).toEqual([])
  })

  test('a search for tools that the provider did itself', () => {
    const search = { type: 'tool_search_call', call_id: 's', execution: 'server', arguments: { goal: 'weather' } }
    expect(checkTranscript([user, search, responses.call('a'), responses.output('a')])).toEqual([])
  })

  test('requests of a session that call no tool', () => {
    expect(
      checkTranscript([
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} },
        { jsonrpc: '2.0', id: 0, result: { serverInfo: {} } },
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { jsonrpc: '2.0', id: 1, result: { tools: [] } },
        rpc.call(2),
        rpc.result(2),
      ]),
    ).toEqual([])
  })
})

describe('what is one', () => {
  test('a custom tool, whose input is free text', () => {
    const call = { type: 'custom_tool_call', call_id: 'a', name: 'write_sql', input: 'select 1' }
    expect(checkTranscript([call, { type: 'custom_tool_call_output', call_id: 'a', output: '1' }])).toEqual([])
    expect(wordsOf(checkTranscript([call]))).toEqual(['trimmed-behind-call [0]'])
    const custom = { id: 'a', type: 'custom', custom: { name: 'write_sql', input: 'select 1' } }
    expect(checkTranscript([chat.assistant(custom), chat.tool('a')])).toEqual([])
  })

  test('a call that the client answers, whatever it is called', () => {
    const search = { type: 'tool_search_call', call_id: 'a', execution: 'client', arguments: { goal: 'weather' } }
    expect(wordsOf(checkTranscript([search]))).toEqual(['trimmed-behind-call [0]'])
    expect(checkTranscript([search, { type: 'tool_search_output', call_id: 'a', tools: [{ name: 'weather' }] }])).toEqual([])
  })

  test('the older form, which has no ids', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } }
    const result = { role: 'function', name: 'find', content: 'found' }
    expect(checkTranscript([user, call, result, call, result])).toEqual([])
    expect(wordsOf(checkTranscript([user, call, user]))).toEqual(['call-without-result [1].function_call'])
    expect(wordsOf(checkTranscript([user, call, result, result]))).toEqual(['id-missing [3]'])
  })

  test('a request of a session that was cancelled, or that failed', () => {
    expect(checkTranscript([rpc.call(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }])).toEqual([])
    expect(checkTranscript([rpc.call(1), { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } }])).toEqual([])
  })

  test('1 and "1" are two requests', () => {
    expect(wordsOf(checkTranscript([rpc.call(1), rpc.call('1'), rpc.result(1)]))).toEqual(['trimmed-behind-call [1]'])
  })
})

test('what a log holds beside messages is passed over, and said', () => {
  const progress = { type: 'progress', percent: 50 }
  const [call, result] = [chat.assistant(chat.call('a')), chat.tool('a')]
  expect(checkTranscript([user, call, progress, result])).toMatchObject([{ finding: 'message-unknown', severity: 'warning', path: '[2]' }])
  const items = [responses.call('a'), progress, responses.call('b'), responses.output('a'), responses.output('b')]
  expect(wordsOf(checkTranscript(items))).toEqual(['message-unknown [1]'])
})

test('a list in which nothing is a message is no history without fault', () => {
  const event = { turnId: 't', version: 1, type: 'turn.opened' }
  expect(checkTranscript([event])).toMatchObject([{ finding: 'message-unknown', severity: 'error' }])
})

test.each<[string, unknown, unknown]>([
  ['no list', { messages: [] }, undefined],
  ['no format', [user], 'yaml'],
  ['a name of every object', [user], 'toString'],
])('%s is turned away', (_what, messages, format) => {
  const check = (): unknown => checkTranscript(messages as History, format as TranscriptFormat)
  expect(check).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})

test('blocks of one response that a log keeps apart are one message', () => {
  const line = (content: object) => ({ type: 'assistant', message: { role: 'assistant', content: [content] } })
  expect(
    checkTranscript([
      line(anthropic.use('a')),
      line(anthropic.use('b')),
      { type: 'user', message: anthropic.user(anthropic.result('a'), anthropic.result('b')) },
    ]),
  ).toEqual([])
})
