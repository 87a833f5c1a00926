// Goal: the chart of the turn is the law of the turn. Every edge is walked, and every pair that is no edge is tried and refused.
//
// The table below is typed by hand from the contract, never read from the chart. An edge that is missing here or there, or is one
// too many, fails by name.

import { describe, expect, test } from 'vitest'
import { turnChart, type TurnSignal } from '../../machines/turn.ts'
import { describeChart, follow, type Law } from './chart-suite.ts'
import { TURN_SIGNALS } from './signals.ts'
import { configurations } from './walk.ts'

/** The turn follows its next call: it waits for a person, works, or thinks again. */
const FOLLOW = ['holding', 'working', 'thinking']

/** After a verdict: further ones are due, or the turn follows its next call. */
const VERDICT = ['admitting', ...FOLLOW]

/** What can befall any open state that is at rest between two appends. */
const ANY_TIME = { 'turn.cancelling': ['cancelling'], 'turn.exhausted': ['exhausted'], 'turn.failed': ['failed'] }

const APPROVALS = {
  'approval.granted': FOLLOW,
  'approval.denied': FOLLOW,
  'approval.expired': FOLLOW,
  'approval.turned-away': FOLLOW,
}

const LAW: Law = {
  unopened: { 'turn.opened': ['thinking'] },
  thinking: {
    'round.requested': ['thinking'],
    'round.failed': ['thinking'],
    'round.recorded': ['admitting', 'thinking'],
    'call.dispatched': ['working'],
    'call.late': ['thinking'],
    ...ANY_TIME,
  },
  admitting: {
    'call.admitted': VERDICT,
    'call.held': VERDICT,
    'call.invalid': VERDICT,
    'call.refused': VERDICT,
    'call.suppressed': VERDICT,
    'call.ended': VERDICT,
    'turn.completed': ['completed'],
    'turn.refused': ['refused'],
  },
  working: {
    'call.admitted': FOLLOW,
    'call.held': FOLLOW,
    'call.refused': FOLLOW,
    'call.suppressed': FOLLOW,
    'call.ended': FOLLOW,
    'call.dispatched': ['working'],
    'call.failed': ['working'],
    'call.recorded': FOLLOW,
    'call.settled': FOLLOW,
    'call.late': ['working'],
    'clarification.asked': ['asking'],
    ...APPROVALS,
    ...ANY_TIME,
  },
  holding: { 'call.ended': FOLLOW, 'call.late': ['holding'], ...APPROVALS, ...ANY_TIME },
  asking: {
    'clarification.answered': ['thinking'],
    'clarification.expired': ['asking'],
    'clarification.turned-away': ['asking'],
    'call.late': ['asking'],
    ...ANY_TIME,
  },
  cancelling: {
    'round.recorded': ['cancelling'],
    'call.dispatched': ['cancelling'],
    'call.failed': ['cancelling'],
    'call.recorded': ['cancelling'],
    'call.settled': ['cancelling'],
    'call.ended': ['cancelling'],
    'call.late': ['cancelling'],
    'turn.cancelled': ['cancelled'],
    'turn.failed': ['failed'],
  },
  completed: { 'call.late': ['completed'] },
  refused: { 'call.late': ['refused'] },
  exhausted: { 'attempt.started': ['thinking'], 'call.late': ['exhausted'] },
  cancelled: { 'attempt.started': ['thinking'], 'call.late': ['cancelled'] },
  failed: {
    'attempt.started': ['thinking'],
    'call.ended': ['failed'],
    'call.settled': ['cancelling', ...FOLLOW],
    'call.late': ['failed'],
  },
}

describeChart({ chart: turnChart, signals: TURN_SIGNALS, law: LAW })

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

  test('a new attempt forgets that the old one was being cancelled', () => {
    const doubt: TurnSignal = { type: 'turn.failed', inDoubt: true, started: true, next: 'ready' }
    const cancelled: readonly TurnSignal[] = [{ type: 'turn.cancelling' }, { type: 'turn.cancelled', next: 'none' }]
    const again: TurnSignal = { type: 'attempt.started', next: 'none' }
    expect(end(...cancelled, again, ROUND, ADMITTED, doubt, { type: 'call.settled', next: 'ready' })).toBe('working')
  })
})
