// Which names of a catalog are close to a written one. For the model to read; nothing is ever executed by a close name.

const LONGEST = 64
const SHOWN = 5

/** Letters and digits only, without case: what stays of a name when its decoration is taken off. */
function core(name: string): string {
  return name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Edits (insert, delete, replace) that turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let above = 0; above < from.length; above += 1) {
    const next = [above + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] as number) + (to[column - 1] === from[above] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}

/** How far a catalog name is from what was written; null when it is no match at all. */
function distance(written: string, name: string): number | null {
  const [a, b] = [core(written), core(name)]
  if (a === '' || b === '') return null
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  if (shorter >= 4 && (a.includes(b) || b.includes(a))) return 1
  const edits = editDistance(a, b)
  return edits <= Math.max(1, Math.floor(shorter / 3)) ? edits + 1 : null
}

/** Names of the catalog that are close to the written one, the closest first, at most five. */
export function closeNames(written: string, catalog: readonly string[]): readonly string[] {
  return catalog
    .map(name => ({ name, far: distance(written, name) }))
    .filter((match): match is { name: string; far: number } => match.far !== null)
    .sort((a, b) => a.far - b.far)
    .slice(0, SHOWN)
    .map(match => match.name)
}
