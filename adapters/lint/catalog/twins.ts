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

/** What is compared of a tool. */
type Likeness = {
  readonly name: string
  readonly kind: string
  readonly words: readonly string[]
  readonly parameters: ReadonlySet<string>
}

export function twinFindings(tools: readonly Linted[]): readonly Finding[] {
  return groupsOf(tools.map(likenessOf)).map(group => {
    const names = group.slice(0, SHOWN).map(({ name }) => quoted(name))
    const more = group.length > SHOWN ? ` and ${group.length - SHOWN} more` : ''
    return found('near-twins', null, '', `The tools ${names.join(', ')}${more} differ by a word of their names, and take nearly the same.`)
  })
}

function likenessOf({ name, inputSchema, descriptor: { replayPolicy, contentTrust } }: Linted): Likeness {
  const properties = typeof inputSchema === 'object' ? Object.entries(propertiesOf(inputSchema)) : []
  return {
    name,
    // Tools of different policies stay apart: one tool has one, and the stricter would hold for all.
    kind: `${replayPolicy} ${contentTrust}`,
    words: wordsOf(name),
    parameters: new Set(properties.map(([parameter, schema]) => `${parameter}:${typeText(schema)}`)),
  }
}

function typeText(schema: Json): string {
  return JSON.stringify(isJsonObject(schema) ? (schema['type'] ?? null) : null)
}

/** Sets of tools in which each has a twin. */
function groupsOf(tools: readonly Likeness[]): readonly (readonly Likeness[])[] {
  let groups: (readonly Likeness[])[] = []
  for (const tool of tools) {
    const near = groups.filter(group => group.some(other => areTwins(tool, other)))
    groups = [...groups.filter(group => !near.includes(group)), [...near.flat(), tool]]
  }
  return groups.filter(group => group.length > 1)
}

function areTwins(a: Likeness, b: Likeness): boolean {
  return a.name !== b.name && a.kind === b.kind && nearNames(a.words, b.words) && nearParameters(a.parameters, b.parameters)
}

/** Names that share words, and differ by at most one each. */
function nearNames(a: readonly string[], b: readonly string[]): boolean {
  const shared = a.filter(word => b.includes(word)).length
  return shared > 0 && a.length - shared <= 1 && b.length - shared <= 1
}

function nearParameters(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const same = [...a].filter(parameter => b.has(parameter)).length
  return same > 0 && same / (a.size + b.size - same) >= ALIKE
}
