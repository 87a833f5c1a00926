// Text for a terminal. What a model, a tool or a person wrote must never reach it raw: it could move the cursor, rename the
// window, or write over the line above.

/** Control characters but for newline and tab, marks that turn or hide the direction of writing, and half a surrogate pair. */
const UNSAFE = /(?![\n\t])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu

/** Several lines, with what could steer a terminal written out as `\u{…}`. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, character => `\\u{${(character.codePointAt(0) as number).toString(16)}}`).replaceAll('\t', '  ')
}

/** The same in one line. */
export function safeLine(text: string): string {
  return safeText(text.replaceAll('\n', '\\n'))
}

/** JSON whose text is safe as well: the same value to every reader of JSON. */
export function safeJson(value: unknown, indent?: number): string {
  return safeJsonText(JSON.stringify(value, null, indent) ?? 'null')
}

/** @param text JSON; outside of its strings it holds nothing unsafe */
export function safeJsonText(text: string): string {
  return text.replaceAll(UNSAFE, character => [...Array(character.length).keys()].map(at => escapeUnit(character.charCodeAt(at))).join(''))
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** Every line of a text, moved to the right. */
export function indent(text: string, by: number): string {
  return text
    .split('\n')
    .map(line => (line === '' ? '' : `${' '.repeat(by)}${line}`))
    .join('\n')
}

/**
 * Rows under a head, in columns as wide as their widest cell. Nothing is cut: an id that is not whole is no id.
 *
 * @param rows as many cells as the head; made safe here
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map(row => row.map(safeLine))]
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export type Fact = readonly [name: string, value: string]

/** @param value a text as it is, anything else as JSON */
export function factOf(name: string, value: unknown): Fact {
  return [name, typeof value === 'string' ? value : safeJson(value)]
}

/** Names and values below each other, the values in one column. */
export function facts(rows: readonly Fact[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${safeLine(value)}`.trimEnd()).join('\n')
}
