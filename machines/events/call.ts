// Payloads of call.* events: the verdict over a call, its intent, and what became of it.

import Type, { type Static } from 'typebox'
import { Approver } from '../principal.ts'
import { ContentTrust } from '../tool.ts'
import { AnyObject, closed, Count, Digest, FromOne, GateName, literals, Ordinal, Recorded, Time, Trail } from './shapes.ts'

const named = { ordinal: Ordinal, tool: Type.String() }

/** The prepared arguments of a call that passed its gates: redacted for the record, digested whole under the turn's key (D11). */
const Prepared = {
  /** Version of the descriptor the call was judged against. */
  descriptor: Type.String(),
  /** Prepared and redacted. */
  arguments: AnyObject,
  /** HMAC of the whole prepared arguments. */
  argumentsDigest: Digest,
  /** True: redaction changed them; the whole value is sealed beside the stream, or only in the process that admitted the call. */
  masked: Type.Boolean(),
}

/** Whose word a text of a verdict is: always the host's. It is what the model reads as the call's result. */
const Stopped = { ...named, gate: GateName, trail: Trail, reason: Type.String(), text: Type.String() }

export const CallAdmitted = closed({ ...named, ...Prepared, trail: Trail })
export const CallInvalid = closed(Stopped)
export const CallRefused = closed(Stopped)

export const CallHeld = closed({
  ...named,
  ...Prepared,
  /** Always `authorization`, the gate that asked. */
  gate: GateName,
  trail: Trail,
  approvalId: Type.String(),
  /** The bit when the hold was raised. */
  contentTrust: ContentTrust,
  /** Who may resolve while the turn is trusted; null: the acting person. */
  approvers: Type.Union([Type.Array(Approver), Type.Null()]),
  expiresAt: Time,
  reason: Type.String(),
  /** Of a hold that a running tool's inquiry raised: what the person is to answer, by the tool's names. */
  forms: Type.Optional(AnyObject),
})

export const CallSuppressed = closed({
  ...Stopped,
  /** Ordinal of the call that this one repeats. */
  of: Ordinal,
  argumentsDigest: Digest,
})

/** Did not run because the round or the turn ended before it could. `gate` is `limits` where a cap decided. */
export const CallEnded = closed({
  ...named,
  gate: Type.Union([GateName, Type.Null()]),
  trail: Trail,
  reason: literals('calls-per-round', 'calls-per-turn', 'rounds', 'clarifications', 'after-ask', 'turn-ended', 'retried'),
  text: Type.String(),
})

/** The intent: committed before the tool starts (D2). */
export const CallDispatched = closed({ ...named, dispatch: FromOne, invocationId: Type.String() })

/** One try of several. */
export const CallFailed = closed({
  ordinal: Ordinal,
  dispatch: FromOne,
  try: FromOne,
  kind: literals('thrown', 'timeout'),
  backoffMs: Count,
})

export const CallRecorded = closed({
  ...named,
  dispatch: FromOne,
  /** Tries that this dispatch took. */
  tries: FromOne,
  ended: literals('returned', 'thrown', 'timeout', 'aborted'),
  ...Recorded,
  /** Trust in the result, from the descriptor. */
  contentTrust: ContentTrust,
})

/**
 * A dispatch that ended without a result: the tool wants to know something of the acting person first, and goes on with the answers
 * as a further dispatch.
 */
export const CallInquired = closed({
  ...named,
  dispatch: FromOne,
  /** Redacted: a message and a schema by each of the tool's names. */
  forms: AnyObject,
  /** What the tool is given back byte for byte. */
  state: Type.Union([Type.String(), Type.Null()]),
  /** True: `state` is sealed under the host's key, in base64. */
  sealed: Type.Boolean(),
})

/** A doubt, settled by the tool's `reconcile` or by a named operator (D6). */
export const CallSettled = closed({
  ...named,
  dispatch: FromOne,
  settled: literals('happened', 'did-not-happen'),
  by: literals('reconcile', 'operator'),
  /** With `happened`. */
  recorded: Type.Optional(closed(Recorded)),
  contentTrust: ContentTrust,
})

/** A completion after its call was settled otherwise: changes no outcome. */
export const CallLate = closed({
  ordinal: Ordinal,
  dispatch: FromOne,
  ended: literals('returned', 'thrown'),
  digest: Digest,
  bytes: Count,
})

export type CallPrepared = Pick<Static<typeof CallAdmitted>, 'descriptor' | 'arguments' | 'argumentsDigest' | 'masked'>
