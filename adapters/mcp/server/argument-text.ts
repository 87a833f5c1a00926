// The text of a call's arguments as it came, cut out of the message around it. What has parsed the message has chosen between two
// keys of one name already, and rounded long numbers; the arguments gate is to see, and refuse, what was written (B1).

type Span = { readonly start: number; readonly end: number }

const TOKEN = /[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^ \t\n\r"{}[\],:]+)/y
const METHOD = 'tools/call'

/**
 * The arguments of each `tools/call` of a message, or of a batch of messages, by request id.
 *
 * @param text JSON that was parsed without a fault
 */
export function argumentTexts(text: string): ReadonlyMap<string | number, string> {
  const found = new Map<string | number, string>()
  if (!text.includes(METHOD) && !text.includes('\\')) return found
  for (const message of messagesOf(text)) {
    const { method, id, params } = partsOf(text, message)
    const given = params === undefined ? undefined : partsOf(text, params)['arguments']
    if (method === undefined || id === undefined || given === undefined || readAt(text, method) !== METHOD) continue
    const name = readAt(text, id)
    if (typeof name === 'string' || typeof name === 'number') found.set(name, text.slice(given.start, given.end))
  }
  return found
}

function messagesOf(text: string): readonly Span[] {
  const whole = valueAt(text, 0)
  if (text[whole.start] !== '[') return [whole]
  const messages: Span[] = []
  for (let next = valueAt(text, whole.start + 1); next.end < whole.end; next = valueAt(text, next.end)) {
    if (text[next.start] !== ',') messages.push(next)
  }
  return messages
}

/** The members of an object by name, the last one where a name stands twice, as its parser has it; none of anything else. */
function partsOf(text: string, { start }: Span): Readonly<Record<string, Span | undefined>> {
  const parts = new Map<string, Span>()
  if (text[start] !== '{') return {}
  for (let key = tokenAt(text, start + 1); text[key.start] !== '}'; key = tokenAt(text, key.end)) {
    if (text[key.start] === ',') continue
    const colon = tokenAt(text, key.end)
    const value = valueAt(text, colon.end)
    parts.set(String(readAt(text, key)), value)
    key = value
  }
  return Object.fromEntries(parts)
}

function valueAt(text: string, at: number): Span {
  const first = tokenAt(text, at)
  let end = first.end
  for (let depth = depthOf(text, first); depth > 0; ) {
    const token = tokenAt(text, end)
    depth += depthOf(text, token)
    end = token.end
  }
  return { start: first.start, end }
}

function depthOf(text: string, { start }: Span): number {
  const character = text[start]
  if (character === '{' || character === '[') return 1
  return character === '}' || character === ']' ? -1 : 0
}

function tokenAt(text: string, at: number): Span {
  TOKEN.lastIndex = at
  const token = TOKEN.exec(text)?.[1]
  if (token === undefined) throw new SyntaxError('the text ends before its value does')
  return { start: TOKEN.lastIndex - token.length, end: TOKEN.lastIndex }
}

function readAt(text: string, { start, end }: Span): unknown {
  return JSON.parse(text.slice(start, end)) as unknown
}
