// What people do, and how rounds and turns fail and end, in the words of a story.

import type { Fact, FactOf } from '../../machines/events.ts'
import type { TurnState } from '../../machines/state.ts'
import { requestDigest } from '../../machines/digest.ts'
import { modelRequest } from '../../machines/transcript.ts'
import { ANA, callOf, LATER } from './given.ts'

const holdOf = (state: TurnState, ordinal: number) => ({ approvalId: callOf(state, ordinal).hold?.approvalId ?? 'none', ordinal })
const BY_ANA = { by: ANA, via: 'app' as const }

export const granted =
  (ordinal: number, edited: FactOf<'approval.granted'>['data']['edited'] = null) =>
  (state: TurnState): Fact => ({
    type: 'approval.granted',
    data: { ...holdOf(state, ordinal), ...BY_ANA, contentTrust: state.contentTrust, edited },
  })
export const denied =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'approval.denied',
    data: { ...holdOf(state, ordinal), ...BY_ANA },
  })
export const expired =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'approval.expired',
    data: { ...holdOf(state, ordinal), deadline: LATER },
  })
export const turnedAway =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'approval.turned-away',
    data: { ...holdOf(state, ordinal), by: { ...ANA, id: 'bob' }, via: 'app', reason: 'not-yours' },
  })

export const askedPerson =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'clarification.asked',
    data: { ordinal, tool: callOf(state, ordinal).item.name, arguments: { id: '1' }, expiresAt: LATER },
  })
export const answered = (ordinal: number): Fact => ({ type: 'clarification.answered', data: { ordinal, ...BY_ANA, answer: 'the red one' } })
export const askTurnedAway = (ordinal: number): Fact => ({
  type: 'clarification.turned-away',
  data: { ordinal, by: { ...ANA, id: 'bob' }, via: 'app', reason: 'not-yours' },
})
export const askExpired = (ordinal: number): Fact => ({ type: 'clarification.expired', data: { ordinal, deadline: LATER } })

export const failedRound = (state: TurnState): Fact => ({
  type: 'round.failed',
  data: { round: state.rounds.length + 1, try: state.failedTries + 1, kind: 'timeout', backoffMs: 0 },
})
export const requestedRound = (state: TurnState): Fact => ({
  type: 'round.requested',
  data: { round: state.rounds.length + 1, request: requestDigest(modelRequest(state)) },
})

export const cancelling: Fact = { type: 'turn.cancelling', data: BY_ANA }
export const cancelled: Fact = { type: 'turn.cancelled', data: {} }
export const completed: Fact = { type: 'turn.completed', data: { output: { channel: null, text: 'Done.' } } }
export const turnRefused: Fact = { type: 'turn.refused', data: {} }
export const exhausted: Fact = { type: 'turn.exhausted', data: { limit: 'rounds' } }
export const failed = (code: FactOf<'turn.failed'>['data']['code'], ordinal?: number): Fact => ({
  type: 'turn.failed',
  data: { code, message: 'The host says why.', ...(ordinal === undefined ? {} : { ordinal }) },
})
export const retried = (state: TurnState): Fact => ({ type: 'attempt.started', data: { attempt: state.attempt + 1, despiteDoubt: true } })
