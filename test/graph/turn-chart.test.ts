// Goal: the chart of the turn is the law of the turn. Every edge is walked, and every pair that is no edge is tried and refused.
//
// An edge that is missing in the chart or in the table of the law, or is one too many, fails by name.

import { describe, expect, test } from 'vitest'
import { turnChart, type TurnSignal } from '../../machines/turn.ts'
import { describeChart, follow } from './chart-suite.ts'
import { TURN_LAW } from './law.ts'
import { TURN_SIGNALS } from './signals.ts'
import { configurations } from './walk.ts'

describeChart({ chart: turnChart, signals: TURN_SIGNALS, law: TURN_LAW })

const reached = configurations(turnChart, TURN_SIGNALS).map(each => each.snapshot)

/** The state at the end of signals, or null where one of them is no edge. */
function end(...signals: readonly TurnSignal[]): string | null {
  try {
    return follow(turnChart, [{ type: 'turn.opened' }, ...signals]).value
  } catch (thrown) {
    if (/ takes no /.test(String(thrown))) return null
    throw thrown
  }
}

const ROUND: TurnSignal = { type: 'round.recorded', calls: 1, completion: 'clean', final: false }
const ADMITTED: TurnSignal = { type: 'call.admitted', next: 'ready' }

describe('states', () => {
  test('every open one names its effect, and ends have none', () => {
    const effects = Object.entries(turnChart.root.states).map(([name, state]) => [name, state.meta?.effect ?? null])
    expect(Object.fromEntries(effects)).toEqual({
      unopened: null,
      thinking: 'ask-model',
      admitting: 'admit',
      working: 'run-call',
      holding: 'await-approval',
      asking: 'await-answer',
      cancelling: 'cancel',
      completed: null,
      refused: null,
      exhausted: null,
      cancelled: null,
      failed: null,
    })
  })

  test('the five ends are tagged so, and all are reached', () => {
    const ends = new Set(reached.filter(snapshot => snapshot.hasTag('end')).map(snapshot => snapshot.value))
    expect(ends).toEqual(new Set(['completed', 'refused', 'exhausted', 'cancelled', 'failed']))
  })
})

describe('what guards hold', () => {
  test('no end but a doubt leaves a call open', () => {
    expect(end(ROUND, ADMITTED, { type: 'turn.exhausted', next: 'ready' })).toBeNull()
    expect(end(ROUND, ADMITTED, { type: 'turn.failed', inDoubt: false, started: false, next: 'ready' })).toBeNull()
    expect(end({ type: 'turn.cancelling' }, { type: 'turn.cancelled', next: 'ready' })).toBeNull()
  })

  test('a failure that leaves its calls open names one that was started', () => {
    expect(end(ROUND, ADMITTED, { type: 'turn.failed', inDoubt: true, started: false, next: 'ready' })).toBeNull()
    expect(end(ROUND, ADMITTED, { type: 'turn.failed', inDoubt: true, started: true, next: 'ready' })).toBe('failed')
  })

  test('only a doubt is settled, and a cancel that was under way goes on behind it', () => {
    const settled: TurnSignal = { type: 'call.settled', next: 'ready' }
    const doubt: TurnSignal = { type: 'turn.failed', inDoubt: true, started: true, next: 'ready' }
    const plain: TurnSignal = { type: 'turn.failed', inDoubt: false, started: false, next: 'none' }
    expect(end(plain, settled)).toBeNull()
    expect(end(ROUND, ADMITTED, doubt, settled)).toBe('working')
    expect(end(ROUND, ADMITTED, { type: 'turn.cancelling' }, doubt, settled)).toBe('cancelling')
  })

  test('nothing else is open when the person is asked', () => {
    expect(end(ROUND, ADMITTED, { type: 'clarification.asked', next: 'ready' })).toBeNull()
    expect(end(ROUND, ADMITTED, { type: 'clarification.asked', next: 'none' })).toBe('asking')
  })

  test('a round that is an effect is asked for once', () => {
    const requested: TurnSignal = { type: 'round.requested' }
    expect(end(requested, requested)).toBeNull()
    expect(end(requested, { type: 'round.recorded', calls: 0, completion: 'paused', final: false }, requested)).toBe('thinking')
  })

  test('an answer that was under way when cancelling began is taken, once, and no other is', () => {
    const cancelling: TurnSignal = { type: 'turn.cancelling' }
    expect(end(cancelling, ROUND)).toBe('cancelling')
    expect(end(cancelling, ROUND, ROUND)).toBeNull()
    expect(end(ROUND, ADMITTED, cancelling, ROUND)).toBeNull()
  })

  test('a new attempt forgets that the old one was being cancelled', () => {
    const doubt: TurnSignal = { type: 'turn.failed', inDoubt: true, started: true, next: 'ready' }
    const cancelled: readonly TurnSignal[] = [{ type: 'turn.cancelling' }, { type: 'turn.cancelled', next: 'none' }]
    const again: TurnSignal = { type: 'attempt.started', next: 'none' }
    expect(end(...cancelled, again, ROUND, ADMITTED, doubt, { type: 'call.settled', next: 'ready' })).toBe('working')
  })
})
