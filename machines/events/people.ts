// Payloads of approval.* and clarification.* events: what people were asked and what they decided.

import Type from 'typebox'
import { Principal, Via } from '../principal.ts'
import { ContentTrust } from '../tool.ts'
import { AnyObject, AnyJson, closed, Digest, Ordinal, Time, literals } from './shapes.ts'

const hold = { approvalId: Type.String(), ordinal: Ordinal }
const decided = { by: Principal, via: Via }

export const ApprovalGranted = closed({
  ...hold,
  ...decided,
  /** The bit when the decision arrived (C9). */
  contentTrust: ContentTrust,
  /** With edits: the effective arguments, redacted; the proposed ones stay in `call.held` (C6). */
  edited: Type.Union([closed({ arguments: AnyObject, argumentsDigest: Digest, masked: Type.Boolean() }), Type.Null()]),
  /** Of a hold with forms: an answer to each of them. */
  answers: Type.Optional(AnyObject),
})
export const ApprovalDenied = closed({ ...hold, ...decided, reason: Type.Optional(Type.String()) })
export const ApprovalExpired = closed({ ...hold, deadline: Time })

/** Why a resolve was turned away. */
const Reason = literals('not-yours', 'channel', 'service')
export const ApprovalTurnedAway = closed({ ...hold, ...decided, reason: Reason })

const ask = { ordinal: Ordinal }
export const ClarificationAsked = closed({ ...ask, tool: Type.String(), arguments: AnyObject, expiresAt: Time })
export const ClarificationAnswered = closed({ ...ask, ...decided, answer: AnyJson })
export const ClarificationExpired = closed({ ...ask, deadline: Time })
export const ClarificationTurnedAway = closed({ ...ask, ...decided, reason: Reason })
