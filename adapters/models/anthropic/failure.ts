// What an ask of Anthropic fails with, from what its API, its client or the network said.

import { AnthropicError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk'
import { ToolturnError } from '../../../machines/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'
import { isModelFailure, type ModelRound } from '../../../machines/ports/model.ts'
import { cutOff, httpFailure, modelFailure, notSendable, timedOut } from '../failure.ts'
import { retryAfterMs } from '../retry-after.ts'
import { textAt } from './text-at.ts'

/** Who is named in messages. */
export const WHO = 'Anthropic'

/** Statuses that the API documents for its error types: in a stream only the type is said. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

/** Which requests are too long for the model has no code of its own, only these words. */
const TOO_LONG = /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (window|limit|length)|exceed context limit/i
/** Nor has what a filter of the API stopped, before the model spoke or in the middle of it. */
const FILTERED = /blocked by content filtering policy/i

class Filtered extends Error {}

/** An error that a response states in its body or its stream. */
export function statedFailure(body: Json): Error {
  const error = statedIn(body)
  if (FILTERED.test(textAt(error, 'message'))) return new Filtered()
  return httpFailure(WHO, STATUSES.get(textAt(error, 'type')) ?? 500, undefined, isTooLong(error))
}

function statedIn(body: Json | undefined): JsonObject {
  return isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
}

function isTooLong(error: JsonObject): boolean {
  return TOO_LONG.test(textAt(error, 'message'))
}

/** What a filter stopped is refused, as an answer is by the model itself. @returns null for every failure */
export function filteredRound(thrown: unknown): ModelRound | null {
  const error = statedIn((thrown as { readonly error?: Json } | undefined)?.error)
  if (!(thrown instanceof Filtered) && !FILTERED.test(textAt(error, 'message'))) return null
  return { completion: 'refused', stop: 'content_filter', items: [] }
}

/**
 * What is thrown in place of what was caught. Nothing of it is passed on: an error of the client holds headers and content.
 *
 * @param ask.signal of the ask; once it is aborted the reason is of no more interest
 * @param ask.stalled the stream was given up for its silence
 */
export function failureOf(
  thrown: unknown,
  ask: { readonly signal: AbortSignal; readonly stalled: boolean; readonly turnId: string },
): Error {
  if (ask.signal.aborted) return new ToolturnError('runtime_closed', 'The ask was aborted before it was answered.', { turnId: ask.turnId })
  if (ask.stalled || thrown instanceof APIConnectionTimeoutError) return timedOut(WHO)
  if (thrown instanceof ToolturnError || (thrown instanceof Error && isModelFailure(thrown))) return thrown
  const { status, headers, error } = (thrown ?? {}) as { status?: unknown; headers?: unknown; error?: Json }
  if (typeof status === 'number')
    return httpFailure(WHO, status, retryAfterMs(headers instanceof Headers ? headers : undefined), isTooLong(statedIn(error)))
  if (thrown instanceof APIError) return cutOff(WHO)
  if (thrown instanceof AnthropicError) return notSendable(`The client of ${WHO} did not send the request.`)
  return modelFailure(`The client of ${WHO} failed.`, { kind: 'protocol', code: 'model_unavailable', final: false })
}
