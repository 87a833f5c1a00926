// Whether a text is somewhere in a value, however deep, and also where JSON stands in a string.

/** What is looked through: a JSON value, or a text. */
export function holdsText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text) || holdsInside(value, text)
  if (Array.isArray(value)) return value.some(inner => holdsText(inner, text))
  if (typeof value === 'object' && value !== null) {
    const inside = Object.entries(value).some(([key, inner]) => key.includes(text) || holdsText(inner, text))
    return inside || JSON.stringify(value).includes(text)
  }
  return String(value).includes(text)
}

/** Arguments, messages and log lines are JSON in a string: there a quote or a letter may be written as an escape. */
function holdsInside(written: string, text: string): boolean {
  if (!/^\s*[{["]/.test(written)) return false
  try {
    return holdsText(JSON.parse(written), text)
  } catch {
    return false // it only looked like JSON
  }
}
