// Texts, shortened without breaking them.

/** At most so many UTF-16 units, cut between code points, with an ellipsis where something was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
