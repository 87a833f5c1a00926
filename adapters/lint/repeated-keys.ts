// Keys that an object of a JSON text holds twice. A reader of JSON keeps one of them without a word, so only the text shows it.

/** An object or a list that is open, and the key or index that it is at. */
type Level = { readonly keys: Set<string> | null; at: string; index: number }

const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|[{}[\],]/g

/** At most so many are told of one text. */
const TOLD = 100

/**
 * Where keys are repeated, each as the path of its object: `[3].content[0].input`.
 *
 * @param text valid JSON
 */
export function repeatedKeys(text: string): readonly string[] {
  const levels: Level[] = []
  const found = new Set<string>()
  for (const match of text.matchAll(TOKEN)) {
    const [token, isKey] = match
    const level = levels.at(-1)
    if (isKey !== undefined && level?.keys != null) {
      const key = JSON.parse(token.slice(0, token.length - isKey.length)) as string
      if (level.keys.has(key) && found.size < TOLD) found.add(pathOf(levels))
      level.keys.add(key)
      level.at = key
    } else if (token === '{' || token === '[') levels.push({ keys: token === '{' ? new Set() : null, at: '', index: 0 })
    else if (token === '}' || token === ']') levels.pop()
    else if (token === ',' && level !== undefined) level.index += 1
  }
  return [...found]
}

/** The way to the innermost open level. */
function pathOf(levels: readonly Level[]): string {
  const path = levels.slice(0, -1).map(({ keys, at, index }) => (keys === null ? `[${index}]` : `.${at}`)).join('')
  return path.replace(/^\./, '')
}
