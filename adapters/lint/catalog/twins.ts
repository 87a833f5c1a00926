// Tools that are told apart by one word only and take nearly the same: one tool with an `action` would do.

import { isJsonObject, type Json } from '../../../machines/json.ts'
import { quoted, type Finding } from '../finding.ts'
import type { Linted } from './linted.ts'
import { wordsOf } from './naming.ts'
import { propertiesOf } from './parameters.ts'
import { found } from './words.ts'

/** How many of the parameters of both together are the same in both. */
const ALIKE = 0.6
const SHOWN = 8

export function twinFindings(tools: readonly Linted[]): readonly Finding[] {
  return groupsOf(tools).map(group => {
    const names = group.slice(0, SHOWN).map(({ name }) => quoted(name))
    const more = group.length > SHOWN ? ` and ${group.length - SHOWN} more` : ''
    return found('near-twins', null, '', `The tools ${names.join(', ')}${more} differ by a word of their names, and take nearly the same.`)
  })
}

/** Sets of tools in which each has a twin. */
function groupsOf(tools: readonly Linted[]): readonly (readonly Linted[])[] {
  const groups: Linted[][] = []
  for (const tool of tools) {
    const near = groups.filter(group => group.some(other => areTwins(tool, other)))
    for (const group of near) groups.splice(groups.indexOf(group), 1)
    groups.push([...near.flat(), tool])
  }
  return groups.filter(group => group.length > 1)
}

function areTwins(a: Linted, b: Linted): boolean {
  return a.name !== b.name && sameKind(a, b) && nearNames(a.name, b.name) && nearSchemas(a, b)
}

/** Tools of different policies stay apart: one tool has one, and the stricter would hold for all. */
function sameKind({ descriptor: a }: Linted, { descriptor: b }: Linted): boolean {
  return a.replayPolicy === b.replayPolicy && a.contentTrust === b.contentTrust
}

/** Names that share words, and differ by at most one each. */
function nearNames(a: string, b: string): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  const shared = one.filter(word => other.includes(word)).length
  return shared > 0 && one.length - shared <= 1 && other.length - shared <= 1
}

function nearSchemas(a: Linted, b: Linted): boolean {
  const [one, other] = [parametersOf(a), parametersOf(b)]
  const same = [...one].filter(parameter => other.has(parameter)).length
  return same > 0 && same / (one.size + other.size - same) >= ALIKE
}

/** Names and types of the parameters. */
function parametersOf({ inputSchema }: Linted): ReadonlySet<string> {
  if (typeof inputSchema !== 'object') return new Set()
  return new Set(Object.entries(propertiesOf(inputSchema)).map(([name, schema]) => `${name}:${JSON.stringify(typeOf(schema))}`))
}

function typeOf(schema: Json): Json {
  return isJsonObject(schema) ? (schema['type'] ?? null) : null
}
