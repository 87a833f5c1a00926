// Keys that an object of a JSON text holds twice. A reader of JSON keeps one of them without a word, so only the text shows it.

/** An object or a list that is open, and the key or index that it is at. */
type Level = { readonly keys: Set<string> | null; at: string; index: number }

/** What is looked at outside of strings. A string may be too long for a pattern. */
const MARK = /["{[\]},]/g
const COLON = /\s*:/y

/** At most so many are told of one text. */
const TOLD = 100

/**
 * Where keys are repeated, each as the path of its object: `[3].content[0].input`. It names nothing that is content.
 *
 * @param text valid JSON
 */
export function repeatedKeys(text: string): readonly string[] {
  const levels: Level[] = []
  const found = new Set<string>()
  MARK.lastIndex = 0
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const level = levels.at(-1)
    const [token] = mark
    if (token === '"') {
      const end = endOfString(text, mark.index)
      MARK.lastIndex = end
      if (level?.keys == null || !isKey(text, end)) continue
      const key = JSON.parse(text.slice(mark.index, end)) as string
      if (level.keys.has(key) && found.size < TOLD) found.add(pathOf(levels))
      level.keys.add(key)
      level.at = key
    } else if (token === '{' || token === '[') levels.push({ keys: token === '{' ? new Set() : null, at: '', index: 0 })
    else if (token !== ',') levels.pop()
    else if (level !== undefined) level.index += 1
  }
  return [...found]
}

/** Behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

/** Behind an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function isKey(text: string, end: number): boolean {
  COLON.lastIndex = end
  return COLON.test(text)
}

/** Keys of the formats themselves. Any other is somebody's content, and ends what is told of the way. */
const TOLD_KEYS: ReadonlySet<string> = new Set([
  'messages',
  'message',
  'history',
  'items',
  'input',
  'output',
  'choices',
  'content',
  'tool_calls',
  'function',
  'function_call',
  'arguments',
  'params',
  'result',
  'results',
  'structuredContent',
])

/** The way to the innermost open level. */
function pathOf(levels: readonly Level[]): string {
  const whole = levels.slice(0, -1)
  const end = whole.findIndex(({ keys, at }) => keys !== null && !TOLD_KEYS.has(at))
  const told = end === -1 ? whole : whole.slice(0, end)
  const path = told.map(({ keys, at, index }) => (keys === null ? `[${index}]` : `.${at}`)).join('')
  return `${path.replace(/^\./, '')}${end === -1 ? '' : '…'}`
}
