// JSON text to the value that it denotes, read rightly also where the platform does not.
//
// JSON.parse of V8 13 and 14 may read an escaped key as another one: it compares the key's raw text with keys that it has seen at
// the same place, so after `{"a":0,"\\":1}` the second key of `{"a":0,"\n":1}` comes out as a backslash (nodejs/node#63785).
// Keys without escapes, and strings that are no keys, are read rightly. So escaped keys are given to it under plain names.

import type { Json } from './json.ts'

/** A string with an escape in it where a key may stand. It may also match inside of a string: then the slower way is as right. */
const ESCAPED_KEY = /[{,]\s*"[^"\\]*\\[^][^"\\]*(?:\\[^][^"\\]*)*"\s*:/
const STRINGS = /("[^"\\]*(?:\\[^][^"\\]*)*")(\s*:)?/g

/**
 * The value of a JSON text.
 *
 * @throws SyntaxError as JSON.parse does
 */
export function parseJson(text: string): Json {
  return ESCAPED_KEY.test(text) ? parseRenamed(text) : (JSON.parse(text) as Json)
}

/** Every key is renamed: those with escapes to `e` and a number, the others to `p` and themselves; then all are named back. */
function parseRenamed(text: string): Json {
  const escaped: string[] = []
  const renamed = text.replace(STRINGS, (whole, quoted: string, colon: string | undefined) => {
    if (colon === undefined) return whole
    if (!quoted.includes('\\')) return `"p${quoted.slice(1)}${colon}`
    escaped.push(JSON.parse(quoted) as string)
    return `"e${escaped.length - 1}"${colon}`
  })
  return nameBack(JSON.parse(renamed) as Json, escaped)
}

function nameBack(value: Json, escaped: readonly string[]): Json {
  if (Array.isArray(value)) return value.map(item => nameBack(item as Json, escaped))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = key.startsWith('p') ? key.slice(1) : (escaped[Number(key.slice(1))] ?? '')
      return [name, nameBack(member, escaped)]
    }),
  )
}
