// The composed step over both charts, as logic that the graph library can walk.

import { getShortestPaths } from '@xstate/graph'
import type { ActorLogic, Snapshot } from 'xstate'
import { chain, GENESIS } from '../../machines/chain.ts'
import { ToolturnError } from '../../machines/errors.ts'
import type { Event, Fact, StoredEvent } from '../../machines/events.ts'
import { fold, foldOn, parseEvent, step } from '../../machines/fold.ts'
import { callStateName, isMiss, openInquiry, type CallState, type TurnState } from '../../machines/state.ts'
import { factsFrom, type Scope } from './composed-cases.ts'
import { opening } from './opening.ts'

const STAMP = {
  turnId: '01900000-0000-7000-8000-000000000001',
  tenant: 'default',
  time: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'worker', id: 'w1' },
  worked: 0,
} as const

const OPENED: Fact = { type: 'turn.opened', data: opening() }

/** A history of facts as it would lie in a store, behind a head. */
export function stored(facts: readonly Fact[], head = { version: 0, hash: GENESIS }): readonly StoredEvent[] {
  return chain(head, facts, STAMP, () => '00'.repeat(16))
}

type Folded = { readonly state: TurnState; readonly behind: Map<Fact, Folded> }

/** Folds histories as a store would give them. What they begin with in common is folded once. */
export function historyFolder(): (history: readonly Fact[]) => TurnState {
  const roots = new Map<Fact, Folded>()
  return history => {
    let at: Folded | null = null
    for (const fact of history) {
      const known: Map<Fact, Folded> = at === null ? roots : at.behind
      const next: Folded = known.get(fact) ?? { state: foldOne(at?.state ?? null, fact), behind: new Map() }
      known.set(fact, next)
      at = next
    }
    if (at === null) throw new Error('a history begins with turn.opened')
    return at.state
  }
}

function foldOne(state: TurnState | null, fact: Fact): TurnState {
  const events = stored([fact], state === null ? undefined : { version: state.version, hash: state.head }).map(parseEvent)
  return state === null ? fold(events) : foldOn(state, events)
}

/** The event that a fact would be behind a state. Its hash is only a name: the walk does not look at chains. */
export function eventOf(state: TurnState, fact: Fact, version = state.version + 1): Event {
  const hash = `${version}`.padStart(64, '0')
  return { ...STAMP, version, schemaVersion: 1, previousHash: state.head, hash, ...fact }
}

/** The state after a fact, or the error that says why it may not follow. */
export function tryStep(state: TurnState, fact: Fact): TurnState | ToolturnError {
  try {
    return step(state, eventOf(state, fact))
  } catch (thrown) {
    if (thrown instanceof ToolturnError) return thrown
    throw thrown
  }
}

/** Two states with the same configuration take the same facts to the same configurations: all that guards and routing read. */
export function configurationOf(state: TurnState): string {
  const { chart, attempt, rounds, nextOrdinal, contentTrust, ask } = state
  const { left, completion, requested, askExpired, cancelling, answerDue, inDoubt } = chart.context
  const verdicts = chart.value === 'admitting' && [left, completion]
  const asking = chart.value === 'asking' && [ask?.ordinal, askExpired]
  const read = [verdicts, asking, requested, cancelling, answerDue, inDoubt]
  const calls = [...state.calls.values()].map(call => callConfiguration(state, call))
  return JSON.stringify([chart.value, read, attempt, rounds.length, nextOrdinal, contentTrust, calls])
}

function callConfiguration(state: TurnState, call: CallState): unknown {
  const name = callStateName(call)
  const { dispatch } = call.chart.context
  switch (name) {
    case 'proposed':
      return [name, call.item.name, state.rounds[call.round - 1]?.completion]
    case 'admitted':
      return [name, call.item.name, call.round, dispatch, call.grant !== null]
    case 'executed':
      return [name, call.item.name, dispatch, isMiss(call)]
    case 'held':
      return [name, call.item.name, call.round, dispatch, openInquiry(call) !== null]
    case 'granted':
    case 'dispatched':
    case 'inquiring':
      return [name, call.item.name, call.round, dispatch]
    case 'refused':
    case 'suppressed-repeat':
    case 'ended-turn':
    case 'invalid':
      return [name, dispatch]
  }
}

/** A state that was reached: the shortest history to it, what may follow it, and what was refused behind it. */
export type Reached = Tried & { readonly history: readonly Fact[] }

type Tried = {
  readonly state: TurnState
  readonly edges: readonly { readonly fact: Fact; readonly next: TurnState }[]
  readonly refused: readonly { readonly fact: Fact; readonly error: ToolturnError }[]
}

type Logic = ActorLogic<TurnState & Snapshot<unknown>, Fact>

/** Every configuration within a scope. A further attempt is reached, and walked on only by a scope that starts in it. */
export function walk(scope: Scope): readonly Reached[] {
  // Hundreds of thousands of facts are refused here, and a trace for each costs more than all the rest.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return walkQuietly(scope)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function walkQuietly(scope: Scope): readonly Reached[] {
  const start = fold(stored([OPENED, ...scope.start]) as readonly Event[])
  const tried = new Map<string, Tried>()
  const tryOnce = (state: TurnState): Tried => {
    const key = configurationOf(state)
    const known = tried.get(key) ?? tryAll(state, scope)
    tried.set(key, known)
    return known
  }
  const logic = {
    transition: (state: TurnState, fact: Fact) => step(state, eventOf(state, fact)),
    getInitialSnapshot: () => start,
    getPersistedSnapshot: (state: TurnState) => state,
  } as unknown as Logic
  const paths = getShortestPaths(logic, {
    events: state => tryOnce(state).edges.map(edge => edge.fact),
    serializeState: configurationOf,
    stopWhen: state => state.attempt > start.attempt,
    limit: 100_000,
  })
  return paths.map(({ state, steps }) => {
    const behind = steps.slice(1).map(each => each.event)
    return { ...tryOnce(state), history: [OPENED, ...scope.start, ...behind] }
  })
}

function tryAll(state: TurnState, scope: Scope): Tried {
  const answers = factsFrom(state, scope).map(fact => ({ fact, answer: tryStep(state, fact) }))
  return {
    state,
    edges: answers.flatMap(({ fact, answer }) => (answer instanceof ToolturnError ? [] : [{ fact, next: answer }])),
    refused: answers.flatMap(({ fact, answer }) => (answer instanceof ToolturnError ? [{ fact, error: answer }] : [])),
  }
}
