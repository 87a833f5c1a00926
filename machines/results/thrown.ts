// What a tool threw, as a text for the model: what it says of itself, without stack and paths, bounded.

import { cutText } from '../text.ts'
import { cleanJson } from './clean.ts'

/** Longest text that is taken over from a thrown value, in UTF-16 units. */
const MAX_ERROR_TEXT = 2_000
const MAX_INNER_ERRORS = 5

/** Places of the host's own file system. Routes of an API and addresses are none. */
const PATHS = [
  /\bfile:\/\/[^\s'")]+/g,
  /(?<![\w:/.])\/(?:home|root|Users|usr|var|tmp|opt|etc|srv|mnt|app|private|proc|data|work|workspace)\/[^\s'":,)\]]+/g,
  /(?<![\w:/.])\/[^\s'":,)\]]*(?:node_modules\/[^\s'":,)\]]*|\.[cm]?[jt]sx?)(?::\d+)*/g,
  /\b[A-Za-z]:\\[^\s'":,)\]]+/g,
]

function withoutPaths(text: string): string {
  return PATHS.reduce((cleaned, path) => cleaned.replace(path, '[path]'), text)
}

/** What stands before the first line of a stack. */
function withoutStack(text: string): string {
  const stack = text.search(/\n\s+at /)
  return stack === -1 ? text : text.slice(0, stack)
}

/**
 * What the thrown value says; the empty text when it says nothing. Never throws.
 *
 * @param redact is given the whole of it: a cut through a secret would leave a half that is not known for one
 */
export function thrownText(thrown: unknown, redact: (text: string) => string = text => text): string {
  const said = cutText(redact(whatItSays(thrown)), 2 * MAX_ERROR_TEXT)
  return cutText(withoutPaths(withoutStack(said)).trim(), MAX_ERROR_TEXT)
}

function whatItSays(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (typeof thrown !== 'object' || thrown === null) return ''
    const { message, errors } = thrown as { readonly message?: unknown; readonly errors?: unknown }
    if (typeof message !== 'string') return wordsOf(thrown)
    const inner = Array.isArray(errors) ? errors.slice(0, MAX_INNER_ERRORS).map(innerText) : []
    return [message, ...inner].filter(text => text !== '').join('; ')
  } catch {
    return ''
  }
}

function innerText(error: unknown): string {
  if (typeof error === 'string') return error
  const message = (error as { readonly message?: unknown } | null)?.message
  return typeof message === 'string' ? message : ''
}

/** A thrown object that is no error: its own words. */
function wordsOf(thrown: object): string {
  const { stack: _, ...rest } = thrown as { readonly stack?: unknown }
  const json = cleanJson(rest)
  return json === undefined || json === null || Object.keys(json).length === 0 ? '' : JSON.stringify(json)
}
