// Argument texts of whole answers. Some packages parse them and write them anew, and a number that does not survive that is another
// number afterwards. (Streams tell the text as it was written. A key that stood twice cannot be seen here: the last one is left.)

import type { LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { parseJson } from '../../../machines/json-text.ts'
import { protocolViolation } from '../failure.ts'

/**
 * Refuses a call whose text is not found in the response, word by word, and that holds a number which may have been rounded.
 *
 * @param body the provider's response as the package read it
 * @throws ModelFailure
 */
export function refuseRounded(who: string, { input, providerExecuted }: LanguageModelV4ToolCall, body: unknown): void {
  if (providerExecuted === true || holds(body, input, MOST_DEPTH)) return
  const numbers = numbersOf(input)
  if (numbers.every(isKept)) return
  throw protocolViolation(`The package of ${who} may have rounded a number in a call; asked as a stream, the text comes as it was written.`)
}

const MOST_DEPTH = 64

function holds(value: unknown, text: string, depth: number): boolean {
  if (typeof value === 'string') return value === text
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).some(inner => holds(inner, text, depth - 1))
}

function numbersOf(text: string): readonly number[] {
  try {
    return numbersIn(parseJson(text))
  } catch {
    // No JSON: the arguments gate says so.
    return []
  }
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

/** Significant digits that every double keeps. */
const KEPT_DIGITS = 15

/** A number that only one text of at most so many digits stands for: it was not rounded, or what was cut off was none of its digits. */
function isKept(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value)
  const [digits = ''] = String(value)
    .replace(/^-?0?\.?0*|[.-]/g, '')
    .split('e')
  return digits.length <= KEPT_DIGITS
}
