// What an ask can fail with, told apart by whether asking again can help. The words are ours: a provider's own may hold a key or
// the content of the request.

import type { ModelFailure } from '../../machines/ports/model.ts'

const TOO_LARGE = 413
/** Statuses of requests that may go through when they are sent again. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])

type What = Pick<ModelFailure, 'kind' | 'code' | 'final' | 'status' | 'retryAfterMs'>

/** A failure that can be thrown. */
export function modelFailure(message: string, what: What): Error & ModelFailure {
  return Object.assign(new Error(message), { modelFailure: true, ...what } as const)
}

/**
 * A provider's refusal of a request by its status: 5xx, 429 and their like pass, every other is final.
 *
 * @param who what is named in the message, e.g. `Anthropic`
 * @param retryAfterMs milliseconds that the provider asks to wait
 * @param tooLong the provider said that the request is longer than the model's context
 */
export function httpFailure(who: string, status: number, retryAfterMs?: number, tooLong = false): Error & ModelFailure {
  const common = { kind: 'http', status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } as const
  const message = `${who} answered with status ${status}.`
  if (tooLong || status === TOO_LARGE) return modelFailure(message, { ...common, code: 'model_context_exceeded', final: true })
  if (status >= 500 || PASSING.has(status)) return modelFailure(message, { ...common, code: 'model_unavailable', final: false })
  return modelFailure(message, { ...common, code: 'model_request_rejected', final: true })
}

/** Nothing, or not the whole answer, came in time. */
export function timedOut(who: string): Error & ModelFailure {
  return modelFailure(`${who} gave no whole answer in time.`, { kind: 'timeout', code: 'model_unavailable', final: false })
}

/** The connection ended before the answer did. */
export function cutOff(who: string): Error & ModelFailure {
  return modelFailure(`The connection to ${who} ended before the answer did.`, { kind: 'reset', code: 'model_unavailable', final: false })
}

/** The answer is not one that the adapter can vouch for; asked again it would be the same. */
export function protocolViolation(message: string): Error & ModelFailure {
  return modelFailure(message, { kind: 'protocol', code: 'model_protocol_violation', final: true })
}

/** The request cannot be put to this model; nothing was sent. */
export function notSendable(message: string): Error & ModelFailure {
  return modelFailure(message, { kind: 'protocol', code: 'model_request_rejected', final: true })
}
