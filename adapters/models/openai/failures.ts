// What a client of OpenAI throws, and the codes in which servers say that they failed, in the words of the model port. The words of
// the server are looked at and never repeated: they may hold a key, or the content of the request.

import { APIConnectionTimeoutError } from 'openai'
import { ToolturnError } from '../../../machines/errors.ts'
import { isModelFailure, type ModelFailure, type ModelRound } from '../../../machines/ports/model.ts'
import { cutOff, httpFailure, modelFailure, timedOut } from '../failure.ts'
import { retryAfterMs } from '../retry-after.ts'

/** What a server says of its failure, in a response, in an event of a stream, or through the client's error. */
export type ServerError = {
  readonly status?: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly message?: unknown
}

const TOO_LONG_CODES: ReadonlySet<unknown> = new Set(['context_length_exceeded', 'exceed_context_size_error'])
/** As vLLM, llama.cpp, Ollama, OpenRouter and others say it, who have no code for it. */
const TOO_LONG_WORDS =
  /maximum (context|prompt|model|input) length|(exceed|longer than|larger than|too large for)[^.]{0,60}\bcontext (length|size|window)/i
const FILTERED: ReadonlySet<unknown> = new Set([
  'content_filter',
  'content_policy_violation',
  'bio_policy',
  'misalignment_policy_violation',
  'image_content_policy_violation',
])
const NO_QUOTA = 'insufficient_quota'
/** Codes in an answer that say that the request itself is at fault. */
const FINAL = /^(invalid|unsupported)_|_mismatch$|image/

/**
 * What is thrown in place of an answer.
 *
 * @param stalled the stream was given up because it said nothing
 */
export function failureOf(thrown: unknown, who: string, stalled: boolean): Error {
  if (stalled) return timedOut(who)
  if (thrown instanceof ToolturnError || (thrown instanceof Error && isModelFailure(thrown))) return thrown
  if (thrown instanceof APIConnectionTimeoutError) return timedOut(who)
  // By its shape: a client of the host's may come from another copy of the package.
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ClientError
  if (typeof error.status !== 'number' && error.error === undefined) return cutOff(who)
  return serverFailure(error, who, retryAfterMs(error.headers))
}

/** What the client throws: `error` is what the server said, where it said something. */
type ClientError = ServerError & { readonly headers?: Headers; readonly error?: unknown }

/** A failure that the server names. */
export function serverFailure(error: ServerError, who: string, waitMs?: number): Error & ModelFailure {
  const status = statusOf(error)
  if (error.code === NO_QUOTA || error.type === NO_QUOTA) return outOfQuota(who, status)
  const tooLong = isTooLong(error)
  if (status !== undefined) return httpFailure(who, status, waitMs, tooLong)
  const message = `${who} said in its answer that it failed.`
  if (tooLong) return modelFailure(message, { kind: 'http', code: 'model_context_exceeded', final: true })
  // Of every other it is hoped that it passes: nothing ran, and the tries are bounded.
  const final = typeof error.code === 'string' && FINAL.test(error.code)
  return modelFailure(message, { kind: 'http', code: final ? 'model_request_rejected' : 'model_unavailable', final })
}

/** Asked again, an account without money is still one. */
function outOfQuota(who: string, status: number | undefined): Error & ModelFailure {
  const message = `${who} says that the quota of the account is used up.`
  return modelFailure(message, { kind: 'http', code: 'model_request_rejected', final: true, ...(status === undefined ? {} : { status }) })
}

/** Servers that begin a stream before they fail give the status as the code. A server that points elsewhere is not followed. */
function statusOf({ status, code }: ServerError): number | undefined {
  const isWithin = (value: unknown, least: number): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) < 600
  return isWithin(status, 300) ? status : isWithin(code, 400) ? code : undefined
}

function isTooLong({ code, type, message }: ServerError): boolean {
  return TOO_LONG_CODES.has(code) || TOO_LONG_CODES.has(type) || (typeof message === 'string' && TOO_LONG_WORDS.test(message))
}

/** A request that a filter stopped is refused, as an answer is that a filter stopped. @returns null for every other failure */
export function filteredRound(error: unknown): ModelRound | null {
  const { code } = (typeof error === 'object' && error !== null ? error : {}) as ServerError
  return typeof code === 'string' && FILTERED.has(code) ? { completion: 'refused', stop: code, items: [] } : null
}
