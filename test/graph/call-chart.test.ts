// Goal: the chart of a call is the law of a call: from proposed to one of its six outcomes, and nothing runs by another way.

import { describe, expect, test } from 'vitest'
import { callChart, type CallSignal } from '../../machines/call.ts'
import { describeChart, follow } from './chart-suite.ts'
import { CALL_LAW } from './law.ts'
import { CALL_SIGNALS, MOST_DISPATCHES } from './signals.ts'
import { configurations } from './walk.ts'

const stop = (snapshot: { readonly context: { readonly dispatch: number } }) => snapshot.context.dispatch > MOST_DISPATCHES

describeChart({ chart: callChart, signals: CALL_SIGNALS, law: CALL_LAW, stop })

/** The state at the end of signals, or null where one of them is no edge. */
function end(...signals: readonly CallSignal[]): string | null {
  try {
    return follow(callChart, signals).value
  } catch (thrown) {
    if (/ takes no /.test(String(thrown))) return null
    throw thrown
  }
}

const ADMITTED: CallSignal = { type: 'call.admitted', completion: 'clean' }
const dispatched = (dispatch: number, mayRunAgain = true, miss = false): CallSignal => ({
  type: 'call.dispatched',
  dispatch,
  ask: false,
  mayRunAgain,
  miss,
})
const recorded = (dispatch: number): CallSignal => ({ type: 'call.recorded', dispatch })

describe('states', () => {
  test('the six outcomes are states by name, and all are reached', () => {
    const reached = configurations(callChart, CALL_SIGNALS, stop).map(each => each.snapshot)
    const outcomes = new Set(reached.filter(snapshot => snapshot.hasTag('outcome')).map(snapshot => snapshot.value))
    expect(outcomes).toEqual(new Set(['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid']))
  })

  test('every one that asks for something names its effect, and what stays has none', () => {
    const states = Object.entries(callChart.root.states).filter(([, state]) => state.meta !== undefined)
    expect(Object.fromEntries(states.map(([name, state]) => [name, state.meta?.effect]))).toEqual({
      proposed: 'admit',
      held: 'await-approval',
      granted: 'judge',
      admitted: 'dispatch',
      dispatched: 'settle',
      inquiring: 'judge',
    })
  })
})

describe('what guards hold', () => {
  test.each(['call.admitted', 'call.held', 'call.suppressed'] as const)('nothing of a truncated or refused round is %s', type => {
    expect(end({ type, completion: 'truncated' })).toBeNull()
    expect(end({ type, completion: 'refused' })).toBeNull()
  })

  test('a truncated round is invalid and a refused one refused', () => {
    expect(end({ type: 'call.invalid', completion: 'truncated' })).toBe('invalid')
    expect(end({ type: 'call.refused', completion: 'truncated' })).toBeNull()
    expect(end({ type: 'call.refused', completion: 'refused' })).toBe('refused')
    expect(end({ type: 'call.invalid', completion: 'refused' })).toBeNull()
  })

  test('a dispatch is one higher than the one before, and only its own record is taken', () => {
    expect(end(ADMITTED, dispatched(2))).toBeNull()
    expect(end(ADMITTED, dispatched(1), dispatched(1))).toBeNull()
    expect(end(ADMITTED, dispatched(1), dispatched(2), recorded(1))).toBeNull()
    expect(end(ADMITTED, dispatched(1), dispatched(2), recorded(2))).toBe('executed')
  })

  test('an at-most-once call in doubt is never dispatched again, unless it is settled that it did not happen', () => {
    const settled: CallSignal = { type: 'call.settled', dispatch: 1, settled: 'did-not-happen' }
    expect(end(ADMITTED, dispatched(1, false), dispatched(2, false))).toBeNull()
    expect(end(ADMITTED, dispatched(1, false), settled, dispatched(2, false))).toBe('dispatched')
  })

  test('a call whose tool wants to know something is dispatched again only through a hold, at-most-once or not', () => {
    const inquired: CallSignal = { type: 'call.inquired', dispatch: 1 }
    const held: CallSignal = { type: 'call.held', completion: 'clean' }
    expect(end(ADMITTED, dispatched(1, false), inquired, dispatched(2, false))).toBeNull()
    expect(end(ADMITTED, dispatched(1, false), inquired, ADMITTED)).toBeNull()
    const granted = [ADMITTED, dispatched(1, false), inquired, held, { type: 'approval.granted' }, ADMITTED] as const
    expect(end(...granted, dispatched(2, false))).toBe('dispatched')
  })

  test('an executed call runs again only where its record is a miss and its tool may', () => {
    expect(end(ADMITTED, dispatched(1), recorded(1), dispatched(2))).toBeNull()
    expect(end(ADMITTED, dispatched(1), recorded(1), dispatched(2, false, true))).toBeNull()
    expect(end(ADMITTED, dispatched(1), recorded(1), dispatched(2, true, true))).toBe('dispatched')
  })

  test('the ask is asked and never dispatched, and nothing else is asked', () => {
    expect(end(ADMITTED, { type: 'clarification.asked', ask: true })).toBe('ended-turn')
    expect(end(ADMITTED, { type: 'clarification.asked', ask: false })).toBeNull()
    expect(end(ADMITTED, { type: 'call.dispatched', dispatch: 1, ask: true, mayRunAgain: true, miss: false })).toBeNull()
  })

  test('a call with effects is not ended while it is in doubt', () => {
    expect(end(ADMITTED, dispatched(1), { type: 'call.ended', harmless: false })).toBeNull()
    expect(end(ADMITTED, dispatched(1), { type: 'call.ended', harmless: true })).toBe('ended-turn')
    expect(end(ADMITTED, { type: 'call.ended', harmless: false })).toBe('ended-turn')
  })

  test('a late completion is of a dispatch that was', () => {
    expect(end({ type: 'call.held', completion: 'clean' }, { type: 'call.late', dispatch: 1 })).toBeNull()
    expect(end(ADMITTED, dispatched(1), recorded(1), { type: 'call.late', dispatch: 1 })).toBe('executed')
    expect(end(ADMITTED, dispatched(1), recorded(1), { type: 'call.late', dispatch: 2 })).toBeNull()
  })
})
