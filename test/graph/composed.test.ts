// Goal: the step over both charts, walked with real events, reaches all that the law names and takes nothing else.
//
// What is walked is in scopes.ts.

import { describe, expect, test } from 'vitest'
import { fold } from '../../machines/fold.ts'
import { pending, type Effect } from '../../machines/effects.ts'
import { ToolturnError } from '../../machines/errors.ts'
import { EVENT_TYPES, type Event, type Fact } from '../../machines/events.ts'
import { callStateName, outcomeOf, stateName, type TurnState } from '../../machines/state.ts'
import { configurationOf, eventOf, historyFolder, stored, tryStep, type Reached } from './composed.ts'
import { consequences } from './consequences.ts'
import { brokenBy, brokenIn } from './invariants.ts'
import { TURN_LAW } from './law.ts'
import { ALONE_WALK, WALKS } from './scopes.ts'

describe.each(WALKS)('$name', ({ reached }) => {
  test('every history that was walked folds, as a store gives it', () => {
    const folder = historyFolder()
    const strayed = reached.filter(({ state, history }) => {
      const folded = folder(history)
      return configurationOf(folded) !== configurationOf(state) || folded.version !== history.length
    })
    expect(strayed.map(each => describeState(each.state))).toEqual([])
  })

  test('what may not follow is an illegal history, and says which event of which turn', () => {
    const mistold = reached.flatMap(({ state, refused }) =>
      refused.filter(({ fact, error: { code, turnId, details } }) => {
        const place = turnId === state.turnId && details.version === state.version + 1 && details.event === fact.type
        return code !== 'illegal_history' || !place
      }),
    )
    expect(mistold).toEqual([])
    expect(reached.filter(each => each.refused.length === 0)).toEqual([])
  })

  test('every state keeps the invariants', () => {
    expect(reached.flatMap(({ state }) => brokenIn(state).map(broken => `${describeState(state)}: ${broken}`))).toEqual([])
  })

  test('every step keeps the invariants', () => {
    const broken = reached.flatMap(({ state, edges }) =>
      edges.flatMap(({ fact, next }) => brokenBy(state, next).map(rule => `${describeState(state)} on ${fact.type}: ${rule}`)),
    )
    expect(broken).toEqual([])
  })

  test('a state asks for something exactly while something may be done about it', () => {
    const idle = reached.filter(isAtRest).filter(({ state }) => (consequences(state).length === 0) !== isFinal(state))
    expect(idle.map(({ state }) => `${describeState(state)} asks for ${pending(state).kind}`)).toEqual([])
  })

  test('whatever is decided over the effect that a state asks for may follow it', () => {
    const impossible = reached.filter(isAtRest).flatMap(({ state }) =>
      consequences(state).flatMap(({ name, facts }) => {
        const why = whyNot(state, facts)
        return why === null ? [] : [`${describeState(state)}: ${name}: ${why}`]
      }),
    )
    expect(impossible).toEqual([])
  })
})

describe('all walks together', () => {
  const states = WALKS.flatMap(({ reached }) => reached.map(each => each.state))
  const taken = WALKS.flatMap(({ reached }) =>
    reached.flatMap(({ state, edges }) =>
      edges.map(({ fact, next }) => ({ type: fact.type, step: `${stateName(state)} ${fact.type} ${stateName(next)}` })),
    ),
  )

  test('reach every state of the turn, and with it every end', () => {
    expect(new Set(states.map(stateName))).toEqual(new Set(Object.keys(TURN_LAW).filter(name => name !== 'unopened')))
  })

  test('reach every state of a call, and with it all six outcomes', () => {
    const calls = states.flatMap(state => [...state.calls.values()])
    const outcomes = ['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid']
    expect(new Set(calls.map(outcomeOf))).toEqual(new Set([...outcomes, null]))
    expect(new Set(calls.map(callStateName))).toEqual(new Set([...outcomes, 'proposed', 'granted', 'admitted', 'dispatched', 'inquiring']))
  })

  test('ask for every effect', () => {
    const kinds: Record<Effect['kind'], true> = {
      'ask-model': true,
      'round-in-doubt': true,
      'conclude': true,
      'judge': true,
      'dispatch': true,
      'settle': true,
      'ask-person': true,
      'await-approval': true,
      'await-answer': true,
      'ask-expired': true,
      'cancel': true,
      'none': true,
    }
    expect(new Set(states.map(state => pending(state).kind))).toEqual(new Set(Object.keys(kinds)))
  })

  test('take every event type but the first', () => {
    expect(new Set(taken.map(each => each.type))).toEqual(new Set(EVENT_TYPES.filter(type => type !== 'turn.opened')))
  })

  test('take every step of the law, and none besides', () => {
    const law = Object.entries(TURN_LAW).flatMap(([from, events]) =>
      Object.entries(events).flatMap(([type, targets]) => targets.map(to => `${from} ${type} ${to}`)),
    )
    expect(new Set(['unopened turn.opened thinking', ...taken.map(each => each.step)])).toEqual(new Set(law))
  })
})

/** False within an append: a round is recorded together with the verdicts over its calls. */
function isAtRest({ state }: Reached): boolean {
  return stateName(state) !== 'admitting' || state.chart.context.left === 0
}

/** These two ends are for good: not even a retry leads out of them. */
function isFinal(state: TurnState): boolean {
  return stateName(state) === 'completed' || stateName(state) === 'refused'
}

/** Why facts may not follow one another behind a state; null when they may. */
function whyNot(state: TurnState, facts: readonly Fact[]): string | null {
  if (facts.length === 0) return 'nothing is decided'
  let at = state
  for (const fact of facts) {
    const next = tryStep(at, fact)
    if (next instanceof ToolturnError) return next.message
    at = next
  }
  return null
}

function describeState(state: TurnState): string {
  const calls = [...state.calls.values()].map(call => {
    const { ordinal, item, chart } = call
    return `${ordinal}:${item.name}:${callStateName(call)}:${chart.context.dispatch}`
  })
  return `${stateName(state)} [${calls.join(' ')}]`
}

test('an event of another version than the next is an illegal history', () => {
  const { state, history, edges } = ALONE_WALK.reached.find(each => stateName(each.state) === 'working') as Reached
  const fact = edges[0]?.fact as Fact
  const events = (version: number) => [...(stored(history) as readonly Event[]), eventOf(state, fact, version)]
  expect(fold(events(state.version + 1)).version).toBe(state.version + 1)
  for (const version of [state.version, state.version + 2]) {
    expect(() => fold(events(version))).toThrow(expect.objectContaining({ code: 'illegal_history' }))
  }
})
