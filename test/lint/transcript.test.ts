// Goal: every way to break a history is found at its place, and a history beside it that is whole is let be.

import { describe, expect, test } from 'vitest'
import { checkTranscript } from '../../adapters/lint/transcript/check.ts'
import { TRANSCRIPT_WORDS, type TranscriptWord } from '../../adapters/lint/transcript/words.ts'
import { anthropic, chat, responses, rpc, sampling, user, wordsOf, type History } from './histories.ts'

const { assistant, use, result, text } = anthropic
const whole = [user, chat.assistant(chat.call('a')), chat.tool('a'), chat.says('It is on its way.')]

type Case = readonly [word: TranscriptWord, what: string, broken: History, found: readonly string[], sound: History]

const CASES: readonly Case[] = [
  [
    'call-without-result',
    'a call that a person speaks behind',
    [user, chat.assistant(chat.call('a')), user],
    ['call-without-result [1].tool_calls[0]'],
    whole,
  ],
  [
    'call-without-result',
    'one of two calls',
    [assistant(use('a'), use('b')), anthropic.user(result('a'))],
    ['call-without-result [0].content[1]'],
    [assistant(use('a'), use('b')), anthropic.user(result('a'), result('b'))],
  ],
  [
    'call-without-result',
    'a request of a session that nobody answered',
    [rpc.call(1), rpc.call(2), rpc.result(2)],
    ['call-without-result [0]'],
    [rpc.call(1), rpc.call(2), rpc.result(2), rpc.result(1)],
  ],
  [
    'trimmed-behind-call',
    'a history that ends with a call',
    [user, assistant(use('a'))],
    ['trimmed-behind-call [1].content[0]'],
    [user, assistant(text('Which one?'))],
  ],
  [
    'trimmed-behind-call',
    'a history cut between a call and the result of a later one',
    [chat.assistant(chat.call('a')), chat.tool('b')],
    ['trimmed-behind-call [0].tool_calls[0]', 'result-without-call [1]'],
    [chat.assistant(chat.call('a')), chat.tool('a')],
  ],
  [
    'trimmed-before-result',
    'a history that begins with a result',
    [anthropic.user(result('a')), assistant(text('Found.'))],
    ['trimmed-before-result [0].content[0]'],
    [user, assistant(text('Found.'))],
  ],
  [
    'trimmed-before-result',
    'a system prompt, and then a result',
    [{ role: 'system', content: 'Be brief.' }, chat.tool('a')],
    ['trimmed-before-result [1]'],
    whole,
  ],
  [
    'result-late',
    'a result behind the next question',
    [chat.assistant(chat.call('a')), user, chat.tool('a')],
    ['result-late [0].tool_calls[0]'],
    [chat.assistant(chat.call('a')), chat.tool('a'), user],
  ],
  [
    'result-without-call',
    'a result of an unknown id',
    [chat.assistant(chat.call('a')), chat.tool('a'), chat.tool('x')],
    ['result-without-call [2]'],
    whole,
  ],
  [
    'result-without-call',
    'a response to no request',
    [rpc.call(1), rpc.result(1), rpc.result('1')],
    ['result-without-call [2]'],
    [rpc.call('1'), rpc.result('1')],
  ],
  [
    'result-twice',
    'a call answered again',
    [assistant(use('a')), anthropic.user(result('a'), result('a'))],
    ['result-twice [1].content[1]'],
    [assistant(use('a')), anthropic.user(result('a'))],
  ],
  [
    'result-twice',
    'a call answered again later',
    [responses.call('a'), responses.output('a'), user, responses.output('a')],
    ['result-twice [3]'],
    [responses.call('a'), responses.output('a'), user],
  ],
  [
    'results-split',
    'results in two messages',
    [assistant(use('a'), use('b')), anthropic.user(result('a')), anthropic.user(result('b'))],
    ['results-split [2]'],
    [chat.assistant(chat.call('a'), chat.call('b')), chat.tool('a'), chat.tool('b')],
  ],
  [
    'results-mixed',
    'words before the results',
    [assistant(use('a')), anthropic.user(text('Here:'), result('a'))],
    ['results-mixed [1]'],
    [assistant(use('a')), anthropic.user(result('a'), text('Go on.'))],
  ],
  [
    'results-mixed',
    'words beside the results of a sampling',
    [
      { role: 'assistant', content: sampling.use('a') },
      { role: 'user', content: [sampling.result('a'), text('Go on.')] },
    ],
    ['results-mixed [1]'],
    [
      { role: 'assistant', content: sampling.use('a') },
      { role: 'user', content: [sampling.result('a')] },
    ],
  ],
  [
    'results-reordered',
    'results in the order in which they came',
    [assistant(use('a'), use('b')), anthropic.user(result('b'), result('a'))],
    ['results-reordered [1].content[0]'],
    [assistant(use('a'), use('b')), anthropic.user(result('a'), result('b'))],
  ],
  [
    'result-empty',
    'a result without text',
    [chat.assistant(chat.call('a')), chat.tool('a', ' \n')],
    ['result-empty [1]'],
    [chat.assistant(chat.call('a')), chat.tool('a', '{}')],
  ],
  [
    'result-empty',
    'blocks without text',
    [assistant(use('a')), anthropic.user(result('a', [text('')]))],
    ['result-empty [1].content[0]'],
    [assistant(use('a')), anthropic.user(result('a', [{ type: 'image', source: {} }]))],
  ],
  [
    'result-empty',
    'no blocks',
    [rpc.call(1), { jsonrpc: '2.0', id: 1, result: { content: [] } }],
    ['result-empty [1]'],
    [rpc.call(1), { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: {} } }],
  ],
  [
    'id-missing',
    'a call without an id',
    [chat.assistant(chat.call('')), chat.tool('a')],
    ['id-missing [0].tool_calls[0]', 'result-without-call [1]'],
    whole,
  ],
  [
    'id-repeated',
    'two calls of one id',
    [assistant(use('a'), use('a')), anthropic.user(result('a'), result('a'))],
    ['id-repeated [0].content[1]'],
    [assistant(use('a'), use('b')), anthropic.user(result('a'), result('b'))],
  ],
  [
    'id-reused',
    'an id that comes again',
    [...whole, ...whole],
    ['id-reused [5].tool_calls[0]'],
    [...whole, chat.assistant(chat.call('b')), chat.tool('b')],
  ],
  [
    'arguments-unreadable',
    'text that ends early',
    [chat.assistant(chat.call('a', '{"id":"4')), chat.tool('a')],
    ['arguments-unreadable [0].tool_calls[0]'],
    [chat.assistant(chat.call('a', '{"id":"4"}')), chat.tool('a')],
  ],
  [
    'arguments-unreadable',
    'a key that is there twice',
    [responses.call('a', '{"id":1,"i\\u0064":2}'), responses.output('a')],
    ['arguments-unreadable [0]'],
    [responses.call('a', '{"id":1,"id2":2}'), responses.output('a')],
  ],
  [
    'arguments-unreadable',
    'a list',
    [assistant(use('a', [1])), anthropic.user(result('a'))],
    ['arguments-unreadable [0].content[0]'],
    [assistant(use('a', { list: [1] })), anthropic.user(result('a'))],
  ],
  [
    'arguments-unreadable',
    'JSON in a text',
    [rpc.call(1, '{}'), rpc.result(1)],
    ['arguments-unreadable [0]'],
    [rpc.call(1, undefined), rpc.result(1)],
  ],
  [
    'round-truncated',
    'a message that was cut off',
    [{ ...assistant(use('a')), stop_reason: 'max_tokens' }, anthropic.user(result('a'))],
    ['round-truncated [0]'],
    [{ ...assistant(use('a')), stop_reason: 'tool_use' }, anthropic.user(result('a'))],
  ],
  [
    'round-truncated',
    'a response that was cut off',
    [{ message: chat.assistant(chat.call('a')), finish_reason: 'length' }, chat.tool('a')],
    ['round-truncated [0].message'],
    [{ message: chat.assistant(chat.call('a')), finish_reason: 'tool_calls' }, chat.tool('a')],
  ],
  [
    'round-truncated',
    'an item that was cut off',
    [{ ...responses.call('a'), status: 'incomplete' }, responses.output('a')],
    ['round-truncated [0]'],
    [responses.call('a'), responses.output('a')],
  ],
  [
    'text-like-call',
    'a call in words',
    [user, chat.says('<tool_call>{"name":"find","arguments":{}}</tool_call>')],
    ['text-like-call [1].content'],
    whole,
  ],
  ['format-mixed', 'a call of another format', [assistant(use('a')), chat.tool('a')], ['format-mixed [0]'], whole],
  ['message-unknown', 'what is no message', [...whole, { type: 'summary', summary: 'An order.' }], ['message-unknown [4]'], whole],
]

describe.each(CASES)('%s: %s', (word, _what, broken, found, sound) => {
  test('is found at its place, with its rule and how to mend it', () => {
    const findings = checkTranscript(broken)
    expect(wordsOf(findings)).toEqual(found)
    const { rule, mend } = TRANSCRIPT_WORDS[word]
    expect(findings.find(({ finding }) => finding === word)).toMatchObject({ rule, mend, what: expect.stringMatching(/\.$/) })
  })

  test('is not found beside it', () => {
    expect(checkTranscript(sound)).toEqual([])
  })
})

test('every word has a case, but for what only the text of a file shows', () => {
  const shown = new Set(CASES.map(([word]) => word))
  expect(Object.keys(TRANSCRIPT_WORDS).filter(word => !shown.has(word as TranscriptWord))).toEqual(['keys-repeated'])
})

describe('how grave it is', () => {
  test.each<[string, History, string]>([
    [
      'an id that comes again is refused by one provider',
      [assistant(use('a')), anthropic.user(result('a')), assistant(use('a')), anthropic.user(result('a'))],
      'error',
    ],
    ['and taken by another', [...whole, ...whole], 'warning'],
    ['a late result is refused by one', [chat.assistant(chat.call('a')), user, chat.tool('a')], 'error'],
    ['and taken by another', [responses.call('a'), user, responses.output('a')], 'warning'],
  ])('%s', (_what, history, severity) => {
    expect(checkTranscript(history)).toMatchObject([{ severity }])
  })
})

test('several faults are told in the order of the messages', () => {
  const history = [chat.tool('x'), chat.assistant(chat.call('a', '[]')), chat.tool('a', ''), chat.assistant(chat.call('a'))]
  expect(wordsOf(checkTranscript(history))).toEqual([
    'trimmed-before-result [0]',
    'arguments-unreadable [1].tool_calls[0]',
    'result-empty [2]',
    'trimmed-behind-call [3].tool_calls[0]',
    'id-reused [3].tool_calls[0]',
  ])
})
