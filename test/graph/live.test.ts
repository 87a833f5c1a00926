// Goal: the loop takes the ways that the law has. Histories of the walks are played through the real loop over the memory store,
// with a model, tools, a policy, people and crashes that bring them about; after each append the state that the actor holds is the
// one that the stored stream folds to.
//
// A law holds more than one prudent runtime does, so not every history can be brought about. Every step of the law can, but for
// those that are named below with the reason.

import { beforeAll, describe, expect, test } from 'vitest'
import type { Fact } from '../../machines/events.ts'
import { fold, parseEvent, step } from '../../machines/fold.ts'
import { outcomeOf, stateName, type CallState, type TurnState } from '../../machines/state.ts'
import type { Reached } from './composed.ts'
import { TURN_LAW } from './law.ts'
import { play, type Played } from './play.ts'
import { ALONE_WALK, WALKS } from './scopes.ts'

/** Steps that only a turn with three calls in a round takes; the walks have two. */
const NOT_PLAYED: readonly string[] = ['working call.held working', 'holding call.ended holding', 'holding call.ended working']

/** Histories that are tried for a step, the shortest first. */
const TRIES = 200

const LAW = Object.entries(TURN_LAW).flatMap(([from, events]) =>
  Object.entries(events).flatMap(([type, targets]) => targets.map(to => `${from} ${type} ${to}`)),
)

/** False for what the loop never does: ask for some rounds as for effects and not for others, or reconcile what only reads. */
function isOurs(history: readonly Fact[]): boolean {
  const asked = history.filter(fact => fact.type === 'round.requested').length
  const rounds = history.filter(fact => fact.type === 'round.recorded').length
  const reconciled = history.some(
    (fact, index) =>
      fact.type === 'call.settled' && fact.data.tool !== 'pay' && !history.slice(0, index).some(each => each.type === 'turn.failed'),
  )
  return (asked === 0 || asked >= rounds) && !reconciled
}

type Performance = Played & { readonly history: readonly Fact[]; readonly state: TurnState }

const played: Performance[] = []
const taken = new Set<string>(['unopened turn.opened thinking'])

async function perform(history: readonly Fact[]): Promise<void> {
  const performance = await play(history)
  const [first, ...rest] = performance.events.map(parseEvent)
  let state = fold(first === undefined ? [] : [first])
  for (const event of rest) {
    const from = stateName(state)
    state = step(state, event)
    taken.add(`${from} ${event.type} ${stateName(state)}`)
  }
  played.push({ ...performance, history, state })
}

/** Two reads were in flight at once, and what became of one of them ended the turn. */
function togetherToTheEnd(): readonly Reached[] {
  const walked = WALKS.flatMap(({ reached }) => reached)
  return walked.filter(({ state, history }) => {
    const calls = [...state.calls.values()]
    const name = stateName(state)
    return calls.length === 2 && calls.every(isStartedRead) && (name === 'exhausted' || name === 'failed') && isOurs(history)
  })
}

function isStartedRead(call: CallState): boolean {
  return call.item.name === 'look' && call.chart.context.dispatch > 0
}

/** Every edge of the walks by the step that it is, as the history over it. */
function historiesByStep(): ReadonlyMap<string, readonly (readonly Fact[])[]> {
  const ways = WALKS.flatMap(({ reached }) =>
    reached.flatMap(({ state, history, edges }) =>
      edges.map(({ fact, next }) => ({ step: `${stateName(state)} ${fact.type} ${stateName(next)}`, history: [...history, fact] })),
    ),
  )
  ways.sort((a, b) => a.history.length - b.history.length)
  return new Map([...Map.groupBy(ways, way => way.step)].map(([name, group]) => [name, group.map(way => way.history)]))
}

beforeAll(async () => {
  for (const { history } of ALONE_WALK.reached) if (isOurs(history)) await perform(history)
  for (const { history } of togetherToTheEnd()) await perform(history)
  const histories = historiesByStep()
  for (const name of LAW) {
    for (const history of histories.get(name)?.filter(isOurs).slice(0, TRIES) ?? []) {
      if (taken.has(name)) break
      await perform(history)
    }
  }
}, 240_000)

const followed = () => played.filter(each => each.followed === each.history.length)

describe('whatever happens', () => {
  test('after each append the live state is the folded one', () => {
    expect(played.flatMap(each => each.strayed)).toEqual([])
  })

  test('the loop throws nothing, and comes to an end or to rest', () => {
    const failed = played.filter(each => each.thrown !== null)
    expect(failed.map(each => `${String(each.thrown)} behind ${each.events.map(event => event.type).join(' ')}`)).toEqual([])
    const running = played.filter(each => ['thinking', 'admitting', 'working', 'cancelling'].includes(stateName(each.state)))
    expect(running.map(each => each.events.map(event => event.type).join(' '))).toEqual([])
  })
})

describe('histories that the loop goes along with', () => {
  test('are many', () => {
    expect(followed().length).toBeGreaterThan(450)
  })

  test('come to every end, and to rest where a person is waited for', () => {
    const ends = new Set(followed().map(each => stateName(each.state)))
    expect(ends).toEqual(new Set(['completed', 'refused', 'exhausted', 'cancelled', 'failed', 'holding', 'asking']))
  })

  test('come to every outcome', () => {
    const outcomes = new Set(followed().flatMap(({ state }) => [...state.calls.values()].map(outcomeOf)))
    expect(outcomes).toEqual(new Set(['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid', null]))
  })
})

describe('a step of the law is taken by the loop', () => {
  test.each(LAW.filter(name => !NOT_PLAYED.includes(name)))('%s', name => {
    expect(taken.has(name)).toBe(true)
  })

  test('and what is excepted is a step of the law that is not', () => {
    expect(NOT_PLAYED.filter(name => taken.has(name) || !LAW.includes(name))).toEqual([])
  })
})
