// What the composed step is walked with: every event type, with payloads as they may come from a state: those that are due, and
// those that are not. A type without a case does not compile.

import type { EventData, EventType, Fact } from '../../machines/events.ts'
import type { Completion, RoundItem } from '../../machines/events/round.ts'
import type { CallPrepared } from '../../machines/events/call.ts'
import { invocationId } from '../../machines/ids.ts'
import type { CallState, TurnState } from '../../machines/state.ts'
import { ANA, DEADLINE, opening } from './opening.ts'

/** The ids of holds do not count: how often a call was held is no part of a configuration. */
function holdId(ordinal: number): string {
  return `hold-of-${ordinal}`
}

/** A round with calls: how it ended, and which tools it calls. */
export type Shape = { readonly completion: Completion; readonly tools: readonly string[] }

/** What of the law is walked: it counts rounds, calls and dispatches without end, a walk does not. */
export type Scope = {
  /** The history to walk on from, behind `turn.opened`. */
  readonly start: readonly Fact[]
  readonly shapes: readonly Shape[]
  /** Rounds and calls of an attempt, and dispatches of all its calls together. */
  readonly rounds: number
  readonly calls: number
  readonly dispatches: number
  /** Whether a record may be a miss. */
  readonly misses: boolean
}

type Cases = { readonly [T in EventType]: (state: TurnState, scope: Scope) => readonly EventData<T>[] }

const TEXT: RoundItem = { kind: 'text', text: 'done' }
const SEARCHED: RoundItem = { kind: 'provider-tool', name: 'web_search', result: {} }

const PREPARED: CallPrepared = { descriptor: 'v1', arguments: {}, argumentsDigest: 'digest', masked: false }
const VERDICT = { gate: 'name' as const, trail: [], reason: 'reason', text: 'text' }
const RESULT = { result: { content: [{ type: 'text', text: 'ok' }] }, digest: 'digest', bytes: 2, truncated: false }
const RETURNED = { tries: 1, ended: 'returned' } as const
const BY = { by: ANA, via: 'app' } as const
export const FORMS = { which: { message: 'Which one?', schema: { type: 'object' } } }
export const ANSWERS = { which: {} }

/** The calls of the attempt, and one that is not there. */
function calls(state: TurnState): readonly Pick<CallState, 'ordinal' | 'item'>[] {
  const stranger = { ordinal: state.nextOrdinal, item: { name: 'look' } as CallState['item'] }
  return [...state.calls.values(), stranger]
}

function named(state: TurnState) {
  return calls(state).map(call => ({ ordinal: call.ordinal, tool: call.item.name }))
}

/** Each call with its last dispatch, and with the next one, which is a further dispatch where one is due. */
function dispatches(state: TurnState) {
  return calls(state).flatMap(({ ordinal, item }) => {
    const last = state.calls.get(ordinal)?.chart.context.dispatch ?? 0
    return [last, last + 1].filter(dispatch => dispatch > 0).map(dispatch => ({ ordinal, tool: item.name, dispatch }))
  })
}

function intents(state: TurnState, scope: Scope) {
  const sum = [...state.calls.values()].reduce((all, call) => all + call.chart.context.dispatch, 0)
  return sum < scope.dispatches ? dispatches(state) : []
}

function rounds(state: TurnState, scope: Scope): readonly EventData<'round.recorded'>[] {
  if (state.rounds.length >= scope.rounds) return []
  const shapes = scope.shapes.filter(({ tools }) => state.calls.size + tools.length <= scope.calls)
  return [
    round(state, 'clean', []),
    round(state, 'clean', [], { output: { valid: false, text: 'text' } }),
    round(state, 'clean', [], { items: [SEARCHED, TEXT] }),
    round(state, 'truncated', []),
    round(state, 'paused', []),
    round(state, 'refused', []),
    ...shapes.map(shape => round(state, shape.completion, shape.tools)),
    round(state, 'clean', ['look'], { round: state.rounds.length + 2 }),
    round({ ...state, nextOrdinal: state.nextOrdinal + 1 }, 'clean', ['look']),
  ]
}

function trustOf(tool: string) {
  return tool === 'look' ? 'untrusted' : 'trusted'
}

export function round(state: TurnState, completion: Completion, tools: readonly string[], more: Partial<EventData<'round.recorded'>> = {}) {
  const items = tools.map((name, index): RoundItem => {
    const ordinal = state.nextOrdinal + index
    return { kind: 'call', ordinal, id: `call_${ordinal}`, providerId: null, name, arguments: '{}', masked: false }
  })
  const data: EventData<'round.recorded'> = {
    round: state.rounds.length + 1,
    request: 'digest',
    completion,
    stop: 'stop',
    channel: tools.length > 0 ? 'tool' : null,
    items: items.length > 0 ? items : [TEXT],
    output: null,
    anomalies: [],
    ...more,
  }
  return data
}

function holds(state: TurnState) {
  return calls(state).map(({ ordinal }) => ({ approvalId: holdId(ordinal), ordinal, ...BY }))
}

function asks(state: TurnState) {
  return calls(state).map(({ ordinal }) => ({ ordinal, ...BY }))
}

const cases: Cases = {
  'turn.opened': () => [opening()],
  'attempt.started': state => [1, 2].map(more => ({ attempt: state.attempt + more, despiteDoubt: true })),
  'round.requested': state => [1, 2].map(more => ({ round: state.rounds.length + more, request: 'digest' })),
  'round.failed': state => [1, 2].map(more => ({ round: state.rounds.length + more, try: 1, kind: 'timeout', backoffMs: 0 })),
  'round.recorded': rounds,
  'call.admitted': state => named(state).map(call => ({ ...call, ...PREPARED, trail: [] })),
  'call.held': state =>
    named(state).flatMap(call => {
      const asked = { approvalId: holdId(call.ordinal), contentTrust: state.contentTrust, approvers: null, expiresAt: DEADLINE }
      const held = { ...call, ...PREPARED, gate: 'authorization' as const, trail: [], ...asked }
      return [
        { ...held, reason: 'always' },
        { ...held, reason: 'inquiry', forms: FORMS },
      ]
    }),
  'call.invalid': state => named(state).map(call => ({ ...call, ...VERDICT })),
  'call.refused': state => named(state).map(call => ({ ...call, ...VERDICT })),
  'call.suppressed': state => named(state).map(call => ({ ...call, ...VERDICT, of: 1, argumentsDigest: 'digest' })),
  'call.ended': state =>
    named(state).flatMap(call =>
      (['turn-ended', 'retried'] as const).map(reason => ({ ...call, gate: null, trail: [], reason, text: 'text' })),
    ),
  'call.dispatched': (state, scope) =>
    intents(state, scope).map(call => ({ ...call, invocationId: invocationId({ tenant: state.tenant, turnId: state.turnId, ...call }) })),
  'call.failed': state => dispatches(state).map(({ ordinal, dispatch }) => ({ ordinal, dispatch, try: 1, kind: 'thrown', backoffMs: 0 })),
  'call.recorded': (state, scope) =>
    dispatches(state).flatMap(call =>
      (scope.misses ? [true, false] : [false]).map(truncated => ({
        ...call,
        ...RETURNED,
        ...RESULT,
        truncated,
        contentTrust: trustOf(call.tool),
      })),
    ),
  'call.inquired': state => dispatches(state).map(call => ({ ...call, forms: FORMS, state: 'state', sealed: false })),
  'call.settled': state =>
    dispatches(state).flatMap(call => [
      { ...call, settled: 'happened', by: 'operator', recorded: RESULT, contentTrust: trustOf(call.tool) },
      { ...call, settled: 'did-not-happen', by: 'reconcile', contentTrust: trustOf(call.tool) },
    ]),
  'call.late': state =>
    dispatches(state).map(({ ordinal, dispatch }) => ({ ordinal, dispatch, ended: 'returned', digest: 'digest', bytes: 2 })),
  'approval.granted': state =>
    holds(state).flatMap(hold => {
      const granted = { ...hold, contentTrust: state.contentTrust, edited: null }
      return [granted, { ...granted, answers: ANSWERS }]
    }),
  'approval.denied': holds,
  'approval.expired': state => holds(state).map(({ approvalId, ordinal }) => ({ approvalId, ordinal, deadline: DEADLINE })),
  'approval.turned-away': state =>
    holds(state).flatMap(hold => [
      { ...hold, reason: 'not-yours' },
      { ...hold, approvalId: 'another', reason: 'not-yours' },
    ]),
  'clarification.asked': state => named(state).map(call => ({ ...call, arguments: {}, expiresAt: DEADLINE })),
  'clarification.answered': state => asks(state).map(ask => ({ ...ask, answer: 'blue' })),
  'clarification.expired': state => calls(state).map(({ ordinal }) => ({ ordinal, deadline: DEADLINE })),
  'clarification.turned-away': state => asks(state).map(ask => ({ ...ask, reason: 'not-yours' })),
  'turn.cancelling': () => [BY],
  'turn.completed': () => [{ output: { channel: null, text: 'done' } }],
  'turn.refused': () => [{}],
  'turn.exhausted': () => [{ limit: 'rounds' }],
  'turn.cancelled': () => [{}],
  'turn.failed': state => [
    { code: 'model_unavailable', message: 'text' },
    ...calls(state).map(({ ordinal }) => ({ code: 'tool_outcome_unknown' as const, message: 'text', ordinal })),
  ],
}

/** Facts that may or may not follow a state. */
export function factsFrom(state: TurnState, scope: Scope): readonly Fact[] {
  return Object.entries<(state: TurnState, scope: Scope) => readonly object[]>(cases).flatMap(([type, data]) =>
    data(state, scope).map(each => ({ type, data: each }) as unknown as Fact),
  )
}
