// Which rules of the contract a scenario file shows: its name says it (`c7-….json`, `case-b07-….json`); for the files that come with
// the package, the package's list of rules does.

import { readFileSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { ownFile } from './suite.ts'

type Listed = { readonly scenarios?: readonly string[]; readonly met?: readonly string[]; readonly notMet?: readonly string[] }
type List = { readonly [section in 'rules' | 'cases' | 'limits']: { readonly [name: string]: Listed } }

const NAMED = /^(?:case-)?([a-g]\d{1,2})-/i

/** Rules, cases from the field and limits, by their names; none where nothing says it. */
export function rulesShown(file: string): readonly string[] {
  const name = basename(file, extname(file))
  const named = NAMED.exec(name)?.[1]
  if (named !== undefined) return [named.toUpperCase()]
  return resolve(dirname(file)) === ownFile('scenarios') ? (ownList().get(name) ?? []) : []
}

let own: ReadonlyMap<string, readonly string[]> | undefined

function ownList(): ReadonlyMap<string, readonly string[]> {
  own ??= readList(ownFile('contract', 'rules.json'))
  return own
}

function readList(file: string): ReadonlyMap<string, readonly string[]> {
  const shown = new Map<string, string[]>()
  const { rules, cases, limits } = JSON.parse(readFileSync(file, 'utf8')) as List
  for (const [rule, { scenarios = [], met = [], notMet = [] }] of Object.entries({ ...rules, ...cases, ...limits })) {
    for (const name of new Set([...scenarios, ...met, ...notMet])) shown.set(name, [...(shown.get(name) ?? []), rule])
  }
  return shown
}
