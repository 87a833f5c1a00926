// Texts, shortened and compared.

/** At most so many UTF-16 units, cut between code points, with an ellipsis where something was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The longest text that both begin with. */
export function commonBeginning(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
