// The files of the project that run when one of them is imported, found by its running imports.

import { readSources } from '../shape/source.ts'

/** Paths from the top, the first one left out. */
export function reachedBy(start: string): string[] {
  const byPath = new Map(readSources().map(source => [source.path, source]))
  const reached = new Set<string>()
  for (let open = [start]; open.length > 0; ) {
    const next = open.flatMap(path => byPath.get(path)?.imports ?? []).flatMap(each => (each.typeOnly || each.target === null ? [] : [each.target]))
    open = next.filter(path => !reached.has(path))
    for (const path of open) reached.add(path)
  }
  return [...reached]
}
