// Descriptions that list what a text may be: choices that belong into an `enum`.

/** Longer descriptions are looked at as far as that. */
const LOOKED_AT = 2_000

const WORD = '[\\w-]{1,40}'
const QUOTE = '["\'`“‘][^"\'`“”‘’\\n]{1,40}["\'`”’]'
const ITEM = `(?:${QUOTE}|${WORD})`
const BETWEEN = '\\s?(?:,|\\/|\\||,?\\s?\\bor\\b|,?\\s?\\band\\b)\\s?'

const LISTS: readonly RegExp[] = [
  // In quotes: 'asc' or 'desc'.
  new RegExp(`${QUOTE}(?:${BETWEEN}${QUOTE})+`, 'i'),
  // With bars between them: open|closed.
  new RegExp(`(?<![\\w|/])${WORD}(?:\\s?\\|\\s?${WORD})+(?![\\w|/])`),
  // Three and more with slashes between them, which is no address and no date: low/medium/high.
  /(?<![\w:/.])[A-Za-z][\w-]{0,40}(?:\/[A-Za-z][\w-]{0,40}){2,}(?![\w/.])/,
  // Behind words that announce them: one of red, green or blue.
  new RegExp(
    '\\b(?:one of|either|any of|(?:possible|allowed|valid|accepted|supported|permitted) (?:values?|options|choices)|values|options|choices)\\b' +
      `(?: the following)?(?: are| is| include)?\\s?[:=(]?\\s?${ITEM}(?:${BETWEEN}${ITEM})+(?=[\\s.,;)]|$)`,
    'i',
  ),
  // Behind words that may also announce something else: must be asc or desc.
  new RegExp(`\\b(?:must|should) be\\s?:?\\s?${ITEM}(?:\\s?,\\s?${ITEM}){0,20},?\\sor\\s${ITEM}(?=[.,;)]|$)`, 'i'),
]

/** What stands behind these words are examples, and not all there is. */
const EXAMPLES = /\b(?:e\.?g\b|for example|for instance|such as|examples?|like)[^]*/i

/** True where the description names a fixed list of texts. */
export function listsChoices(description: string): boolean {
  const said = description.slice(0, LOOKED_AT).replace(EXAMPLES, '')
  return LISTS.some(pattern => pattern.test(said))
}
