// The files of the project that run when one of them is imported, found by its running imports.

import { readSources } from '../shape/source.ts'

/** Paths from the top, the first one left out. */
export function reachedBy(start: string): string[] {
  const byPath = new Map(readSources().map(source => [source.path, source]))
  const reached = new Set<string>()
  for (let open = [start]; open.length > 0; ) {
    const imports = open.flatMap(path => byPath.get(path)?.imports ?? [])
    const targets = imports.flatMap(({ typeOnly, target }) => (typeOnly || target === null ? [] : [target]))
    open = targets.filter(path => !reached.has(path))
    for (const path of open) reached.add(path)
  }
  return [...reached]
}
