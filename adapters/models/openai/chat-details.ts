// Reasoning that a server sends as a list of blocks, in pieces: joined to the blocks that the whole message would hold.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'

/** Fields of a block that come in pieces; of every other the last word counts. */
const GROWING = ['text', 'summary']

/** The blocks with more pieces. A piece belongs to the block before it when it has that one's index and type. */
export function addDetails(blocks: readonly Json[], pieces: readonly Json[]): readonly Json[] {
  return pieces.reduce<readonly Json[]>((joined, piece) => {
    const last = joined.at(-1)
    if (!isJsonObject(last) || !isJsonObject(piece) || !belong(last, piece)) return [...joined, piece]
    return [...joined.slice(0, -1), grown(last, piece)]
  }, blocks)
}

function belong(block: JsonObject, piece: JsonObject): boolean {
  return piece['index'] !== undefined && piece['index'] === block['index'] && piece['type'] === block['type'] && piece['data'] === undefined
}

function grown(block: JsonObject, piece: JsonObject): JsonObject {
  const changed = Object.entries(piece).flatMap(([field, value]) => {
    if (value === null) return []
    const before = block[field]
    return [[field, GROWING.includes(field) && typeof before === 'string' && typeof value === 'string' ? before + value : value]]
  })
  return { ...block, ...Object.fromEntries(changed) }
}
