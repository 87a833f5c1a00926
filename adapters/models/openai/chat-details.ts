// Reasoning that a server sends as a list of blocks, in pieces: joined to the blocks that the whole message would hold.

import { isJsonObject, type Json, type JsonObject } from '../../../machines/json.ts'

/** Fields of a block that come in pieces; of every other the last word counts. */
const GROWING = ['text', 'summary']

/** Puts a piece behind the blocks, or into the last one when it has that one's index and type. */
export function addDetail(blocks: Json[], piece: Json): void {
  const last = blocks.at(-1)
  if (isJsonObject(last) && isJsonObject(piece) && belongs(piece, last)) blocks[blocks.length - 1] = grown(last, piece)
  else blocks.push(piece)
}

/** Hidden reasoning comes in one piece. */
function belongs(piece: JsonObject, block: JsonObject): boolean {
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
