// Goal: a transcript that severs a call from its result is seen, and one that does not is let be.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairingProblems } from '../../machines/pairing.ts'
import type { Message, PairedResult } from '../../machines/ports/model.ts'
import { transcript } from '../../machines/transcript.ts'
import { stories } from './stories.ts'

const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [{ kind: 'text', text: 'Let me see.' }, ...ids.map(id => ({ kind: 'call' as const, id, name: 'find', arguments: '{}' }))],
})
const results = (...ids: string[]): Message => ({ role: 'tool', results: ids.map(resultOf) })
const resultOf = (id: string): PairedResult => ({
  id,
  tool: 'find',
  outcome: 'executed',
  result: { content: [{ type: 'text', text: 'found' }] },
})
const user: Message = { role: 'user', text: 'And?' }

test.each<[string, Message[]]>([
  ['nothing', []],
  ['text alone', [user, calls()]],
  ['each call with its result', [user, calls('a', 'b'), results('a', 'b'), calls('c'), results('c')]],
])('%s is paired', (_what, messages) => {
  expect(pairingProblems(messages)).toEqual([])
})

test.each<[string, Message[], number]>([
  ['a call at the end', [user, calls('a')], 1],
  ['a call that a person speaks behind', [calls('a'), user, results('a')], 0],
  ['a call without a result', [calls('a', 'b'), results('a')], 1],
  ['a result without a call', [user, results('a')], 1],
  ['a result too many', [calls('a'), results('a', 'a')], 1],
  ['results in another order', [calls('a', 'b'), results('b', 'a')], 1],
  ['two calls of one id', [calls('a', 'a'), results('a', 'a')], 0],
  ['results in two messages', [calls('a', 'b'), results('a'), results('b')], 1],
])('%s is not', (_what, messages, message) => {
  expect(pairingProblems(messages)[0]).toMatchObject({ message })
})

test('the transcript of any turn is paired, wherever the turn stands', () => {
  fc.assert(
    fc.property(stories(), ({ state }) => {
      expect(pairingProblems(transcript(state))).toEqual([])
    }),
  )
})
