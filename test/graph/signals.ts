// What the charts are walked with: every signal type, each with the facts that some guard looks at. A type without a case does
// not compile.

import type { CallSignal } from '../../machines/call.ts'
import type { TurnSignal } from '../../machines/turn.ts'

type Signal = { readonly type: string }

/** The facts that signals of one type carry. */
type Facts<S extends Signal, T extends string> = S extends { readonly type: infer U } ? (T extends U ? Omit<S, 'type'> : never) : never

type Cases<S extends Signal> = { readonly [T in S['type']]: readonly [Facts<S, T>, ...Facts<S, T>[]] }

const PLAIN = [{}] as const
const NEXT = [{ next: 'none' }, { next: 'held' }, { next: 'ready' }] as const

const ROUNDS = [
  ...(['clean', 'truncated', 'refused', 'paused'] as const).flatMap(completion => [
    { calls: 1, completion, final: false },
    { calls: 2, completion, final: false },
  ]),
  { calls: 0, completion: 'clean', final: true },
  { calls: 0, completion: 'clean', final: false },
  { calls: 0, completion: 'truncated', final: false },
  { calls: 0, completion: 'refused', final: true },
  { calls: 0, completion: 'paused', final: false },
] as const

const turnCases: Cases<TurnSignal> = {
  'turn.opened': PLAIN,
  'attempt.started': NEXT,
  'round.requested': PLAIN,
  'round.failed': PLAIN,
  'round.recorded': [ROUNDS[0], ...ROUNDS.slice(1)],
  'call.admitted': NEXT,
  'call.held': NEXT,
  'call.invalid': NEXT,
  'call.refused': NEXT,
  'call.suppressed': NEXT,
  'call.ended': atLeastOne(NEXT.flatMap(facts => [true, false].map(retried => ({ ...facts, retried })))),
  'call.dispatched': [{ from: 'admitted' }, { from: 'dispatched' }, { from: 'executed' }],
  'call.failed': PLAIN,
  'call.recorded': NEXT,
  'call.inquired': PLAIN,
  'call.settled': NEXT,
  'call.late': PLAIN,
  'approval.granted': NEXT,
  'approval.denied': NEXT,
  'approval.expired': NEXT,
  'approval.turned-away': NEXT,
  'clarification.asked': NEXT,
  'clarification.answered': PLAIN,
  'clarification.expired': PLAIN,
  'clarification.turned-away': PLAIN,
  'turn.cancelling': PLAIN,
  'turn.completed': NEXT,
  'turn.refused': NEXT,
  'turn.exhausted': NEXT,
  'turn.cancelled': NEXT,
  'turn.failed': [
    { inDoubt: false, started: false, next: 'none' },
    { inDoubt: false, started: false, next: 'held' },
    { inDoubt: false, started: true, next: 'ready' },
    { inDoubt: true, started: false, next: 'none' },
    { inDoubt: true, started: false, next: 'held' },
    { inDoubt: true, started: true, next: 'ready' },
  ],
}

const COMPLETIONS = [{ completion: 'clean' }, { completion: 'paused' }, { completion: 'truncated' }, { completion: 'refused' }] as const

/** Dispatches after which the walk of the call chart goes no further: the chart itself counts without end. */
export const MOST_DISPATCHES = 3

/** Numbers of dispatches: none, those that can be, and one that is never reached. */
const DISPATCHES = [0, 1, 2, 3, 4]

const dispatchOnly = DISPATCHES.map(dispatch => ({ dispatch }))

const callCases: Cases<CallSignal> = {
  'call.admitted': COMPLETIONS,
  'call.held': COMPLETIONS,
  'call.invalid': COMPLETIONS,
  'call.refused': COMPLETIONS,
  'call.suppressed': COMPLETIONS,
  'call.ended': [{ harmless: true }, { harmless: false }],
  'call.dispatched': [
    { dispatch: 1, ask: true, mayRunAgain: true, miss: false },
    ...DISPATCHES.flatMap(dispatch =>
      [true, false].flatMap(mayRunAgain => [true, false].map(miss => ({ dispatch, ask: false, mayRunAgain, miss }))),
    ),
  ],
  'call.failed': atLeastOne(dispatchOnly),
  'call.recorded': atLeastOne(dispatchOnly),
  'call.inquired': atLeastOne(dispatchOnly),
  'call.settled': atLeastOne(
    DISPATCHES.flatMap(dispatch => (['happened', 'did-not-happen'] as const).map(settled => ({ dispatch, settled }))),
  ),
  'call.late': atLeastOne(dispatchOnly),
  'approval.granted': PLAIN,
  'approval.denied': PLAIN,
  'approval.expired': PLAIN,
  'approval.turned-away': PLAIN,
  'clarification.asked': [{ ask: true }, { ask: false }],
}

function atLeastOne<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list
  if (first === undefined) throw new Error('a type needs a case')
  return [first, ...rest]
}

function signalsOf<S extends Signal>(cases: Cases<S>): readonly S[] {
  return Object.entries<readonly object[]>(cases).flatMap(([type, facts]) => facts.map(each => ({ type, ...each }) as unknown as S))
}

export const TURN_SIGNALS: readonly TurnSignal[] = signalsOf(turnCases)
export const CALL_SIGNALS: readonly CallSignal[] = signalsOf(callCases)
