// Goal: the checker finds a fault of pairing exactly where the core does, and nothing in what the core writes.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkTranscript } from '../../adapters/lint/transcript/check.ts'
import type { TranscriptWord } from '../../adapters/lint/transcript/words.ts'
import { pairingProblems } from '../../machines/pairing.ts'
import type { Message } from '../../machines/ports/model.ts'
import { transcript } from '../../machines/transcript.ts'
import { stories } from '../replay/stories.ts'

/** What the core knows of: ids that come again in another message are none of its problems. */
const PAIRING: readonly TranscriptWord[] = [
  'call-without-result',
  'trimmed-behind-call',
  'trimmed-before-result',
  'result-late',
  'result-without-call',
  'result-twice',
  'results-split',
  'results-reordered',
  'id-repeated',
]

const id = fc.constantFrom('a', 'b', 'c')

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.constant<Message>({ role: 'user', text: 'Well?' }),
  fc.array(id, { maxLength: 3 }).map(
    (ids): Message => ({
      role: 'assistant',
      content: [
        { kind: 'text', text: 'Let me see.' },
        ...ids.map(each => ({ kind: 'call' as const, id: each, name: 'find', arguments: '{}' })),
      ],
    }),
  ),
  fc.array(id, { minLength: 1, maxLength: 3 }).map(
    (ids): Message => ({
      role: 'tool',
      results: ids.map(each => ({ id: each, tool: 'find', outcome: 'executed', result: { content: [{ type: 'text', text: 'found' }] } })),
    }),
  ),
)

describe('a history', () => {
  test('has a fault of pairing here where it has one there', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), messages => {
        const found = checkTranscript(messages, 'toolturn').filter(({ finding }) => PAIRING.includes(finding as TranscriptWord))
        expect(found.length > 0).toBe(pairingProblems(messages).length > 0)
      }),
      { numRuns: 1_000 },
    )
  })

  test('that the core wrote has no fault at all, wherever its turn stands', () => {
    fc.assert(
      fc.property(stories(), ({ state }) => {
        expect(checkTranscript(transcript(state)).filter(({ severity }) => severity !== 'info')).toEqual([])
      }),
    )
  })
})
