// Stored JSON text back to the value it was made of.
//
// JSON.parse of V8 13 and 14 may read an escaped key as another one: it compares the key's raw text with keys that it has seen at
// the same place, so after `{"a":0,"\\":1}` the second key of `{"a":0,"\n":1}` comes out as a backslash (nodejs/node#63785).
// Keys without escapes, and strings that are no keys, are read rightly. So escaped keys are given to it under plain names.

/** A string that is a key, when the string has an escape in it. The text is canonical: nothing stands between the two. */
const ESCAPED_KEY = /[{,]"[^"\\]*\\[^][^"\\]*(?:\\[^][^"\\]*)*":/
const STRINGS = /("[^"\\]*(?:\\[^][^"\\]*)*")(:?)/g

/** The value of a canonical JSON text. */
export function parseStored(text: string): unknown {
  return ESCAPED_KEY.test(text) ? parseRenamed(text) : JSON.parse(text) as unknown
}

/** Every key is renamed: those with escapes to `e` and a number, the others to `p` and themselves; then all are named back. */
function parseRenamed(text: string): unknown {
  const escaped: string[] = []
  const renamed = text.replace(STRINGS, (whole, quoted: string, colon: string) => {
    if (colon === '') return whole
    if (!quoted.includes('\\')) return `"p${quoted.slice(1)}:`
    escaped.push(JSON.parse(quoted) as string)
    return `"e${escaped.length - 1}":`
  })
  return nameBack(JSON.parse(renamed) as unknown, escaped)
}

function nameBack(value: unknown, escaped: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => nameBack(item, escaped))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => {
    const name = key.startsWith('p') ? key.slice(1) : escaped[Number(key.slice(1))] ?? ''
    return [name, nameBack(member, escaped)]
  }))
}
