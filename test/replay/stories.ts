// Legal streams of all kinds, chosen by chance: from each state one of the events that may follow.

import fc from 'fast-check'
import { ToolturnError } from '../../machines/errors.ts'
import { callsOfRound, callStateName, openCalls, stateName, type CallState, type TurnState } from '../../machines/state.ts'
import * as say from './given.ts'
import * as ends from './given-ends.ts'
import type { Story, Telling } from './given.ts'

const MOST_ROUNDS = 4

/** A stream of up to so many events. */
export function stories(maxLength = 40): fc.Arbitrary<Story> {
  return fc.array(fc.nat(100_000), { minLength: 8, maxLength, size: 'max' }).map(choices => {
    const story = choices.reduce(goOn, say.given(say.opened()))
    return { ...story, [fc.toStringMethod]: () => story.events.map(event => event.type).join(' ') }
  })
}

/** How often a story takes one of the turns that lead it to its end: one time in so many. */
const RARELY = 12

/** The first candidate from the chosen one on that may stand there. */
function goOn(story: Story, choice: number): Story {
  const { usual, rare } = candidates(story.state)
  const chosen = choice % RARELY === 0 ? [...rare, ...usual] : usual.length > 0 ? usual : rare
  for (let tried = 0; tried < chosen.length; tried += 1) {
    const next = tryTelling(story, chosen[(choice + tried) % chosen.length] as Telling)
    if (next !== null) return next
  }
  return story
}

function tryTelling(story: Story, telling: Telling): Story | null {
  try {
    return say.told(story, telling)
  } catch (error) {
    if (error instanceof ToolturnError && error.code === 'illegal_history') return null
    throw error
  }
}

type Candidates = { readonly usual: readonly Telling[]; readonly rare: readonly Telling[] }

/** What a runtime might write next, and some that it may not: those are not told. */
function candidates(state: TurnState): Candidates {
  const open = openCalls(state)
  switch (stateName(state)) {
    case 'thinking':
      return {
        usual: [...rounds(state), ...reruns(state), ...rounds(state)],
        rare: [ends.failedRound, ends.requestedRound, ends.exhausted, ends.cancelling, ends.failed('model_unavailable'), say.says('Done.')],
      }
    case 'admitting':
      return { usual: verdicts(state), rare: [ends.completed, ends.turnRefused] }
    case 'working':
      return {
        usual: [...open.slice(0, 1).flatMap(call => ofCall(state, call)), ...alsoOpen(state), ...lateOnes(state)],
        rare: [ends.cancelling],
      }
    case 'holding':
      return { usual: open.flatMap(ofHeld), rare: [ends.cancelling] }
    case 'asking':
      return { usual: state.ask === null ? [] : ofAsk(state.ask.ordinal), rare: [ends.exhausted, ends.cancelling] }
    case 'cancelling':
      return { usual: open.flatMap(({ ordinal }) => [say.ended(ordinal), say.recorded(ordinal)]), rare: [ends.cancelled] }
    case 'exhausted':
    case 'cancelled':
    case 'failed':
      return {
        usual: [ends.retried, ...open.flatMap(({ ordinal }) => ofDoubt(ordinal))],
        rare: open.flatMap(({ ordinal }) => [say.ended(ordinal, 'retried'), say.late(ordinal)]),
      }
    case 'completed':
    case 'refused':
      return { usual: [], rare: [] }
  }
}

function rounds(state: TurnState): Telling[] {
  const refuses = say.round({ text: 'No.', over: { completion: 'refused', stop: 'refusal' } })
  if (state.rounds.length >= MOST_ROUNDS) return [say.says('Done.'), refuses]
  return [
    say.calls('find'),
    say.calls('find', 'find', 'pay'),
    say.calls('label', 'ask_user', 'find'),
    say.calls('ask_user'),
    say.calls('pay', { tool: 'label', arguments: { id: '2' } }),
    say.round({ text: 'cut', over: { completion: 'truncated', stop: 'length' } }),
    say.round({ text: 'wait', over: { completion: 'paused', stop: 'pause' } }),
  ]
}

function verdicts(state: TurnState): Telling[] {
  const due = [...state.calls.values()].find(call => callStateName(call) === 'proposed')
  if (due === undefined) return []
  const { ordinal } = due
  // An ask ends the run of its round: what stands behind it does not run.
  const judged = callsOfRound(state, due.round).filter(call => callStateName(call) !== 'proposed')
  if (judged.some(call => call.item.name === 'ask_user')) return [say.ended(ordinal, 'after-ask')]
  const runs = [say.admitted(ordinal), say.admitted(ordinal), say.held(ordinal)]
  return [...runs, ...runs, say.invalid(ordinal), say.refused(ordinal), say.suppressed(ordinal, 1)]
}

function ofCall(state: TurnState, call: CallState): Telling[] {
  const { ordinal } = call
  switch (callStateName(call)) {
    case 'held':
      return ofHeld(call)
    case 'granted':
      return [say.admitted(ordinal), say.admitted(ordinal), say.refused(ordinal), say.held(ordinal)]
    case 'admitted':
      if (call.item.name === state.opened.ask) return [ends.askedPerson(ordinal)]
      return [say.dispatched(ordinal), say.dispatched(ordinal), say.dispatched(ordinal), say.held(ordinal)]
    case 'dispatched':
      return [...ofRun(ordinal), ...ofRun(ordinal), ends.failed('tool_outcome_unknown', ordinal)]
    default:
      return []
  }
}

function ofRun(ordinal: number): Telling[] {
  const short = say.resultOf('the first half', { truncated: true })
  const ends = [say.recorded(ordinal), say.recorded(ordinal, short)]
  return [...ends, say.failedTry(ordinal), say.dispatched(ordinal), say.settled(ordinal, 'did-not-happen')]
}

/** Reads may be under way together, but for those that a person consented to; later holds may be resolved first. */
function alsoOpen(state: TurnState): Telling[] {
  const [first, ...others] = openCalls(state)
  return others.flatMap(call => {
    if (call.item.name !== 'find') return ofHeld(call)
    return first?.grant === null && call.grant === null ? [say.dispatched(call.ordinal), say.recorded(call.ordinal)] : []
  })
}

/** Completions that come after their call was settled otherwise. */
function lateOnes(state: TurnState): Telling[] {
  const settled = [...state.calls.values()].filter(call => call.chart.context.dispatch > 0 && callStateName(call) !== 'dispatched')
  return settled.map(call => say.late(call.ordinal))
}

function ofHeld({ ordinal }: CallState): Telling[] {
  return [ends.granted(ordinal), ends.denied(ordinal), ends.expired(ordinal), ends.turnedAway(ordinal)]
}

function ofAsk(ordinal: number): Telling[] {
  return [ends.answered(ordinal), ends.answered(ordinal), ends.askTurnedAway(ordinal), ends.askExpired(ordinal)]
}

function ofDoubt(ordinal: number): Telling[] {
  return [say.settled(ordinal, 'happened'), say.settled(ordinal, 'did-not-happen')]
}

/** A short form is run again by whoever takes the turn over. */
function reruns(state: TurnState): Telling[] {
  return [...state.calls.values()].filter(call => call.recorded?.truncated === true).map(call => say.dispatched(call.ordinal))
}
