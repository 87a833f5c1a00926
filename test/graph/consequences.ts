// What the runtime may append in a state: every decision over the effect that the state asks for, as the loop would make it.

import { answerAsk, askExpiry, askPerson } from '../../machines/clarification.ts'
import { expiredHolds, resolve } from '../../machines/approval.ts'
import { cancelled, conclude, dispatchFact, endOpenCalls, exhaust, fail, failInDoubt } from '../../machines/decide.ts'
import { pending } from '../../machines/effects.ts'
import type { Fact } from '../../machines/events.ts'
import { missesOf, recoverMiss, settleDoubt, type ReconcileAnswer } from '../../machines/recovery.ts'
import { callStateName, hasEnded, isMiss, openInquiry, stateName, type CallState, type TurnState } from '../../machines/state.ts'
import { epochMs } from '../../machines/time.ts'
import { ANSWERS as TO_FORMS, FORMS, round } from './composed-cases.ts'
import { ANA, DEADLINE } from './opening.ts'

export type Consequence = { readonly name: string; readonly facts: readonly Fact[] }

const RECORDED = { result: { content: [{ type: 'text', text: 'ok' }] }, digest: 'digest', bytes: 2, truncated: false }
const PREPARED = { descriptor: 'v1', arguments: {}, argumentsDigest: 'digest', masked: false, trail: [] }
const BEFORE = epochMs(DEADLINE) - 1
const ANSWERS: readonly ReconcileAnswer[] = [{ kind: 'happened', recorded: RECORDED }, { kind: 'did-not-happen' }, { kind: 'unknown' }]

/** Everything that may be decided in a state that is at rest between two appends. */
export function consequences(state: TurnState): readonly Consequence[] {
  return [...ofEffect(state), ...ofPeople(state)]
}

function ofEffect(state: TurnState): readonly Consequence[] {
  const effect = pending(state)
  switch (effect.kind) {
    case 'ask-model':
      return ofAsk(state)
    case 'round-in-doubt':
      return [{ name: 'the round is lost', facts: fail(state, 'round_outcome_unknown', 'text') }]
    case 'conclude':
      return [{ name: 'the turn concludes', facts: conclude(state) }]
    case 'judge':
      return ofJudged(state, effect.call)
    case 'dispatch':
      return [
        { name: 'calls are dispatched', facts: dispatchAll(state, effect.calls) },
        { name: 'the time is out', facts: exhaust(state, 'turnTimeoutMs') },
      ]
    case 'settle':
      return effect.calls.flatMap(call => ofStarted(state, call))
    case 'ask-person':
      return [
        { name: 'the person is asked', facts: [askPerson(state, effect.call, BEFORE)] },
        { name: 'the time is out', facts: exhaust(state, 'turnTimeoutMs') },
      ]
    case 'await-approval':
      return ofHold(state, effect.call)
    case 'await-answer':
      return ofOpenAsk(state)
    case 'ask-expired':
      return [{ name: 'the ask ends the turn', facts: exhaust(state, 'clarificationLifetimeMs') }]
    case 'cancel':
      return [{ name: 'the cancel ends the turn', facts: cancelled(state) }]
    case 'none':
      return []
  }
}

function ofAsk(state: TurnState): readonly Consequence[] {
  const misses = missesOf(state).map((call): Consequence => {
    const again = recoverMiss(state, call) === 'run-again'
    const facts = again ? [dispatchFact(state, call)] : fail(state, 'replay_source_missing', 'text')
    return { name: `the miss of call ${call.ordinal}`, facts }
  })
  const failed: Fact = { type: 'round.failed', data: { round: state.rounds.length + 1, try: 1, kind: 'timeout', backoffMs: 0 } }
  return [
    { name: 'the model answers', facts: [{ type: 'round.recorded', data: round(state, 'clean', []) }] },
    { name: 'the model fails', facts: [failed] },
    { name: 'the model fails for good', facts: [failed, ...fail(state, 'model_unavailable', 'text')] },
    { name: 'a limit is met', facts: exhaust(state, 'rounds') },
    ...misses,
  ]
}

function dispatchAll(state: TurnState, calls: readonly CallState[]): readonly Fact[] {
  return calls.map(call => dispatchFact(state, call))
}

function ofJudged(state: TurnState, call: CallState): readonly Consequence[] {
  if (callStateName(call) === 'granted') {
    return [{ name: 'a granted call goes on', facts: [{ type: 'call.admitted', data: { ...named(call), ...PREPARED } }] }]
  }
  const approvalId = `hold-of-${call.ordinal}`
  const asked = { approvalId, contentTrust: state.contentTrust, approvers: null, expiresAt: DEADLINE, reason: 'inquiry', forms: FORMS }
  const gate = { gate: 'authorization' as const, trail: [] }
  return [
    { name: 'the person is asked', facts: [{ type: 'call.held', data: { ...named(call), ...PREPARED, ...gate, ...asked } }] },
    { name: 'it may not go on', facts: [{ type: 'call.refused', data: { ...named(call), ...gate, reason: 'revoked', text: 'text' } }] },
  ]
}

function ofStarted(state: TurnState, call: CallState): readonly Consequence[] {
  const { ordinal } = call
  const { dispatch } = call.chart.context
  const record = { ...named(call), dispatch, tries: 1, ended: 'returned', ...RECORDED, contentTrust: 'untrusted' } as const
  const failed = { ordinal, dispatch, try: 1, kind: 'thrown', backoffMs: 0 } as const
  const inquired: Fact = { type: 'call.inquired', data: { ...named(call), dispatch, forms: FORMS, state: null, sealed: false } }
  return [
    { name: `call ${ordinal} is recorded`, facts: [{ type: 'call.recorded', data: record }] },
    ...(isMiss(call) || stateName(state) === 'cancelling' ? [] : [{ name: `the tool of call ${ordinal} inquires`, facts: [inquired] }]),
    { name: `call ${ordinal} fails a try`, facts: [{ type: 'call.failed', data: failed }] },
    { name: `the record of call ${ordinal} fails`, facts: failInDoubt(call, 'tool_record_failed', 'text') },
    ...ANSWERS.flatMap(answer =>
      [true, false].map(canRun => ({
        name: `call ${ordinal} is settled: ${answer.kind}`,
        facts: settleDoubt(state, call, answer, canRun),
      })),
    ),
  ]
}

function ofHold(state: TurnState, call: CallState): readonly Consequence[] {
  const { hold } = call
  if (hold === null) return [{ name: 'a hold is awaited that is none', facts: [] }]
  const me = { by: ANA, via: 'app' } as const
  const other = { by: { ...ANA, id: 'bob' }, via: 'app' } as const
  const answers = openInquiry(call) === null ? {} : { answers: TO_FORMS }
  return [
    { name: 'it is granted', facts: [resolve(state, call, hold, me, { kind: 'approve', edited: null, ...answers }, BEFORE)] },
    { name: 'it is denied', facts: [resolve(state, call, hold, me, { kind: 'deny' }, BEFORE)] },
    { name: 'another is turned away', facts: [resolve(state, call, hold, other, { kind: 'deny' }, BEFORE)] },
    { name: 'all holds expire', facts: expiredHolds(state, epochMs(DEADLINE)) },
  ]
}

function ofOpenAsk(state: TurnState): readonly Consequence[] {
  const { ask } = state
  if (ask === null) return [{ name: 'an answer is awaited to no ask', facts: [] }]
  return [
    { name: 'it is answered', facts: [answerAsk(state, ask, { by: ANA, via: 'app' }, 'blue', BEFORE)] },
    { name: 'another is turned away', facts: [answerAsk(state, ask, { by: { ...ANA, id: 'bob' }, via: 'app' }, 'blue', BEFORE)] },
    { name: 'it expires', facts: [askExpiry(ask), { type: 'turn.exhausted', data: { limit: 'clarificationLifetimeMs' } }] },
  ]
}

/** What people may do whatever the turn waits for. */
function ofPeople(state: TurnState): readonly Consequence[] {
  const name = stateName(state)
  if (name === 'completed' || name === 'refused') return []
  if (hasEnded(state)) {
    const again: Fact = { type: 'attempt.started', data: { attempt: state.attempt + 1, despiteDoubt: true } }
    return [{ name: 'it is retried', facts: [...endOpenCalls(state, 'retried'), again] }]
  }
  if (name === 'cancelling' || name === 'admitting') return []
  return [{ name: 'it is cancelled', facts: [{ type: 'turn.cancelling', data: { by: ANA, via: 'app' } }] }]
}

function named(call: CallState) {
  return { ordinal: call.ordinal, tool: call.item.name }
}
