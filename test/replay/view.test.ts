// Goal: what is shown of a turn is what its stream says, and the messages of a round are those that were sent for it.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asEvent } from '../../machines/actor/draft.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { fold } from '../../machines/fold.ts'
import { messagesOf, viewOf } from '../../machines/view.ts'
import { transcript } from '../../machines/transcript.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import { given, opened } from './given.ts'
import { stories } from './stories.ts'

describe('a view', () => {
  test('names each call with its verdict, its hold and its dispatches', () => {
    const { state } = given(
      opened(),
      say.calls('find', 'pay', 'label', 'find'),
      say.admitted(1),
      say.held(2),
      say.refused(3),
      say.invalid(4),
      say.dispatched(1),
      say.dispatched(1),
      say.recorded(1),
    )
    const view = viewOf(state)
    expect(view).toMatchObject({ turnId: say.TURN, state: 'holding', code: null, limit: null, output: null, attempt: 1, version: 9 })
    const approvalId = `${say.TURN}.2.1`
    const none = { round: 1, gate: null, reason: null, approvalId: null, dispatches: 0 }
    const byPolicy = { gate: 'authorization', reason: 'policy' }
    expect(view.calls).toEqual([
      { ...none, ordinal: 1, tool: 'find', providerId: 'p1', state: 'executed', outcome: 'executed', dispatches: 2 },
      { ...none, ordinal: 2, tool: 'pay', providerId: 'p2', state: 'held', outcome: 'held', gate: 'authorization', approvalId },
      { ...none, ordinal: 3, tool: 'label', providerId: 'p3', state: 'refused', outcome: 'refused', ...byPolicy },
      { ...none, ordinal: 4, tool: 'find', providerId: 'p4', state: 'invalid', outcome: 'invalid', gate: 'arguments', reason: 'schema' },
    ])
  })

  test('says why a turn ended', () => {
    expect(viewOf(given(opened(), ends.exhausted).state)).toMatchObject({ state: 'exhausted', limit: 'rounds' })
    expect(viewOf(given(opened(), ends.failed('model_unavailable')).state)).toMatchObject({ state: 'failed', code: 'model_unavailable' })
    expect(viewOf(given(opened(), say.says('Done.'), ends.completed).state)).toMatchObject({
      state: 'completed',
      output: { text: 'Done.' },
    })
  })

  test('sums the usage of the attempt, and counts what a provider did not say as nothing', () => {
    const { state } = given(opened(), say.says('lost with its attempt'), ends.completed)
    expect(viewOf(state).usage).toEqual({ inputTokens: 100, outputTokens: 10, cachedTokens: 0 })
    const longer = given(
      opened(),
      say.round({ over: { completion: 'truncated', usage: { inputTokens: 1, cachedTokens: 5 } } }),
      say.round({ over: { completion: 'paused', usage: {} } }),
      say.says('Done.'),
    )
    expect(viewOf(longer.state).usage).toEqual({ inputTokens: 101, outputTokens: 10, cachedTokens: 5 })
  })

  test('shows the current attempt only', () => {
    const { state } = given(opened(), say.calls('find'), say.refused(1), ends.exhausted, ends.retried, say.calls('find'), say.admitted(2))
    expect(viewOf(state)).toMatchObject({ attempt: 2, calls: [{ ordinal: 2, round: 1 }], usage: { inputTokens: 100 } })
  })
})

describe('messages', () => {
  test('of a round are those that were sent for it, whatever came later', () => {
    // Where a short form was run again after later rounds, the record is another one meanwhile.
    const settled = stories().filter(({ events, state }) => [...state.calls.keys()].every(ordinal => !ranAgain(events, ordinal)))
    fc.assert(
      fc.property(settled, ({ events, state }) => {
        const start = events.findLastIndex(event => event.type === 'attempt.started')
        for (const [index, event] of events.entries()) {
          if (event.type !== 'round.recorded' || index < start) continue
          const sent = transcript(fold(events.slice(0, index).map(asEvent)))
          expect(messagesOf(state, (event.data as { round: number }).round)).toEqual(sent)
        }
      }),
    )
  })

  test('without a round are those of now', () => {
    const { state } = given(opened(), say.calls('find'), say.admitted(1), say.dispatched(1), say.recorded(1))
    expect(messagesOf(state)).toEqual(transcript(state))
    expect(messagesOf(state, 2)).toEqual(transcript(state))
    expect(messagesOf(state, 1)).toEqual([{ role: 'user', text: 'Order 42 arrived broken.' }])
  })

  test.each([0, 3, 1.5])('of round %d, which is neither recorded nor due, are refused', round => {
    const { state } = given(opened(), say.calls('find'), say.refused(1))
    expect(() => messagesOf(state, round)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })
})

function ranAgain(events: readonly StoredEvent[], ordinal: number): boolean {
  const ofCall = events.filter(event => (event.data as { ordinal?: number }).ordinal === ordinal).map(event => event.type)
  return ofCall.lastIndexOf('call.dispatched') > ofCall.indexOf('call.recorded') && ofCall.includes('call.recorded')
}
