// Which code serves a rule: the files whose comments name it, as `(D2)` or `B1, B2`.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from './rules.ts'

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm
const NUMBER = /\b[A-G][1-9]\d?\b/g

/** The files of the four layers that name each rule, in the order of their paths. */
export function filesByRule(rules: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>(rules.map(rule => [rule, []]))
  for (const path of globSync('{machines,store,bus,adapters}/**/*.ts', { cwd: TOP }).toSorted()) {
    for (const rule of rulesIn(readFileSync(join(TOP, path), 'utf8'))) found.get(rule)?.push(path)
  }
  return found
}

/** The rules that the comments of a text name. */
export function rulesIn(text: string): ReadonlySet<string> {
  return new Set((text.match(COMMENT) ?? []).flatMap(comment => comment.match(NUMBER) ?? []))
}
