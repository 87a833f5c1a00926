// What provider packages throw, or put into a stream, as failures in our words. Theirs may hold the request, an answer or a key, so
// nothing of them is kept but a status and a time to wait. Errors are known by their names and fields: a process may hold several
// copies of the package that defines them.

import { isModelFailure, type ModelFailure, type ModelRound } from '../../../machines/ports/model.ts'
import { cutOff, httpFailure, modelFailure, notSendable, protocolViolation, timedOut } from '../failure.ts'
import { retryAfterMs } from '../retry-after.ts'

type Fields = { readonly [name: string]: unknown }

/** What is thrown before anything is sent: the request, or the set-up of the package, is not one that can be. */
const NOT_SENT: ReadonlyMap<unknown, string> = new Map([
  ['AI_LoadAPIKeyError', 'has no API key: give it one, or set the environment variable that it reads'],
  ['AI_LoadSettingError', 'lacks a setting that it needs'],
  ['AI_UnsupportedFunctionalityError', 'does not support something that the request asks for'],
  ['AI_InvalidPromptError', 'takes the request for invalid'],
  ['AI_InvalidArgumentError', 'takes the request for invalid'],
  ['AI_NoSuchModelError', 'does not know the model'],
])

/** An answer that is there and cannot be read. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['AI_JSONParseError', 'AI_TypeValidationError', 'AI_InvalidResponseDataError'])

/** @param who what is named in the message */
export function failureOf(who: string, thrown: unknown): Error {
  if (thrown instanceof Error && isModelFailure(thrown)) return thrown
  const error = fieldsOf(thrown)
  const { name, statusCode } = error
  const notSent = NOT_SENT.get(name)
  if (notSent !== undefined) return notSendable(`The provider package of ${who} ${notSent}.`)
  if (typeof statusCode === 'number' && statusCode >= 300) return refusal(who, statusCode, error)
  if (name === 'TimeoutError') return timedOut(who)
  if (isOfNetwork(error)) return cutOff(who)
  if (typeof statusCode === 'number' || UNREADABLE.has(name)) return unreadable(who, error)
  return modelFailure(`The provider package of ${who} failed.`, { kind: 'protocol', code: 'model_unavailable', final: false })
}

/** Half a body is one that broke off: asked again it may be whole. */
function unreadable(who: string, error: Fields): Error {
  const brokeOff = chain(error).some(({ name }) => name === 'AI_JSONParseError')
  if (!brokeOff) return protocolViolation(`The answer of ${who} is not one that its package can read.`)
  return modelFailure(`The answer of ${who} is no whole JSON.`, { kind: 'protocol', code: 'model_unavailable', final: false })
}

/** Some refusals have a status that passes and will not pass themselves: of an account without credit, for one. Packages know them. */
function refusal(who: string, statusCode: number, error: Fields): Error & ModelFailure {
  const failure = httpFailure(who, statusCode, retryAfterMs(headersOf(error)), isTooLong(statusCode, error))
  const stays = !failure.final && statusCode < 500 && error['isRetryable'] === false
  return stays ? Object.assign(failure, { code: 'model_request_rejected', final: true } as const) : failure
}

function headersOf({ responseHeaders }: Fields): { readonly get: (name: string) => string | null } {
  const headers = Object.entries(fieldsOf(responseHeaders))
  return {
    get: wanted => {
      const value = headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
      return typeof value === 'string' ? value : null
    },
  }
}

const TOO_LONG_CODES: ReadonlySet<unknown> = new Set(['context_length_exceeded', 'exceed_context_size_error'])
/** As Anthropic, Google, Amazon, Mistral and servers that speak like OpenAI say it, who have no code for it. */
const TOO_LONG_WORDS: readonly RegExp[] = [
  /(prompt|input|request) is too long/i,
  /maximum (context|prompt|model|input) length/i,
  /token count[^.]{0,60}exceeds/i,
  /(exceed|longer than|larger than|too large for)[^.]{0,60}\bcontext (length|size|window|limit)/i,
]
/** Statuses that say that something is wrong with the request itself. */
const UNFIT: ReadonlySet<number> = new Set([400, 422])

function isTooLong(statusCode: number, error: Fields): boolean {
  const { code, type, message } = statedIn(error)
  if (TOO_LONG_CODES.has(code) || TOO_LONG_CODES.has(type)) return true
  const said = [message, error['message']].filter(text => typeof text === 'string')
  return UNFIT.has(statusCode) && said.some(text => TOO_LONG_WORDS.some(words => words.test(text)))
}

const FILTERED: ReadonlySet<unknown> = new Set(['content_filter', 'content_policy_violation'])

/** A request that a filter stopped is refused, as an answer is that a filter stopped. @returns null for every other failure */
export function filteredRound(thrown: unknown): ModelRound | null {
  const { code } = statedIn(fieldsOf(thrown))
  return typeof code === 'string' && FILTERED.has(code) ? { completion: 'refused', stop: code, items: [] } : null
}

/** The error that the provider itself states: `{ error: { code, type, message } }` in the forms that packages hand it on. */
function statedIn({ data, code, type }: Fields): Fields {
  const { error } = fieldsOf(data)
  return { code, type, ...fieldsOf(error) }
}

/** Packages put what the platform threw into an error of the call, which has no status where nothing was answered. */
function isOfNetwork(error: Fields): boolean {
  return chain(error).some(({ name, message, code, statusCode }) => {
    if (name === 'AI_APICallError' && statusCode === undefined) return true
    if (name === 'AI_EmptyResponseBodyError' || name === 'AbortError') return true
    if (name === 'TypeError' && /^(terminated|fetch failed|network error)$/i.test(String(message))) return true
    return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)
  })
}

const MOST_CAUSES = 5

/** An error and what caused it. */
function chain(error: Fields): readonly Fields[] {
  const links = [error]
  while (links.length <= MOST_CAUSES) {
    const { cause } = links.at(-1) ?? {}
    if (typeof cause !== 'object' || cause === null) break
    links.push(fieldsOf(cause))
  }
  return links
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
