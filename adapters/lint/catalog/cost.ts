// What the definitions of tools cost in every request, estimated: about four characters make a token.

import type { Finding } from '../finding.ts'
import type { Linted } from './linted.ts'
import { found } from './words.ts'

const CHARACTERS_PER_TOKEN = 4
const MOST_TOOLS = 20
const TOOL_TOKENS = 1_000
const CATALOG_TOKENS = 10_000

/** Tokens that a definition takes, about: name, description and input schema, written as JSON. A quarantined tool is not sent. */
function tokensOf({ name, description, inputSchema, faults }: Linted): number {
  return faults.length > 0 ? 0 : Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN)
}

export function tokensOfAll(tools: readonly Linted[]): number {
  return tools.reduce((sum, tool) => sum + tokensOf(tool), 0)
}

export function costFindings(tool: Linted): readonly Finding[] {
  const tokens = tokensOf(tool)
  if (tokens <= TOOL_TOKENS) return []
  return [found('definition-costly', tool.name, '', `The definition takes ${estimate(tokens)}, over ${count(TOOL_TOKENS)}.`)]
}

export function sizeFindings(tools: readonly Linted[]): readonly Finding[] {
  const tokens = tokensOfAll(tools)
  return [
    ...(tools.length > MOST_TOOLS
      ? [found('too-many-tools', null, '', `There are ${tools.length} tools, over ${MOST_TOOLS}: models choose badly from so many.`)]
      : []),
    ...(tokens > CATALOG_TOKENS
      ? [found('catalog-costly', null, '', `The definitions take ${estimate(tokens)}, over ${count(CATALOG_TOKENS)}.`)]
      : []),
  ]
}

/** Says that it is one. */
export function estimate(tokens: number): string {
  return `about ${count(tokens)} tokens (${CHARACTERS_PER_TOKEN} characters a token)`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
