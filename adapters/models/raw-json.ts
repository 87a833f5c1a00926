// Parts of a JSON text as they were written: digits that no double holds, keys that stand twice and spaces survive only so.

/**
 * The texts of the values of an object, by key. Of a key that stands twice the last one counts, as it does for JSON.parse.
 *
 * @param text JSON that was parsed before and is an object
 */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  for (const member of partsOf(text)) {
    const end = endOfString(member, 0)
    members.set(JSON.parse(member.slice(0, end)) as string, member.slice(member.indexOf(':', end) + 1).trim())
  }
  return members
}

/**
 * The texts of the items of an array, in order.
 *
 * @param text JSON that was parsed before and is an array
 */
export function itemTexts(text: string): readonly string[] {
  return partsOf(text)
}

/** What stands between the commas of the outermost object or array. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth === 1) start = at + 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) parts.push(text.slice(start, at).trim())
    } else if (character === ',' && depth === 1) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/** Where the string that begins at `at` is over: behind its closing quote. */
function endOfString(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end + 1
}
