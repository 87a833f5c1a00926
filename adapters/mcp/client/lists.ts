// Lists as they came over the wire. One malformed tool would make the client library reject the whole page: it is taken out of the
// answer before the library sees it, and is put into quarantine alone (G6).

import { isJSONRPCResultResponse, isSpecType, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { isJsonObject, type Json } from '../../../machines/json.ts'

/** Names of the malformed tools of the pages that were read last. */
export type Malformed = { readonly take: () => readonly string[] }

/** Watches the answers to `tools/list` on a transport that is not connected yet. */
export function watchLists(transport: Transport): Malformed {
  const asked = new Set<unknown>()
  let malformed: string[] = []
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'tools/list') asked.add(message.id)
    return send(message, options)
  }
  const before = transport.onmessage
  transport.onmessage = (message, extra) => {
    if (isJSONRPCResultResponse(message) && asked.delete(message.id)) malformed.push(...takeMalformed(message))
    before?.(message, extra)
  }
  return {
    take: () => {
      const taken = malformed
      malformed = []
      return taken
    },
  }
}

/** Deeper than any schema that could be used, and nowhere near what the library's own checks would fall over. */
const MOST_DEPTH = 96

function isShallow(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1))
}

/** Leaves only what is a tool; gives the names of the rest. */
function takeMalformed(message: JSONRPCMessage & { readonly result: object }): readonly string[] {
  const result = message.result as { tools?: unknown }
  if (!Array.isArray(result.tools)) return []
  const tools: readonly Json[] = result.tools
  const odd = tools.filter(tool => !isShallow(tool, MOST_DEPTH) || !isSpecType.Tool(tool))
  if (odd.length === 0) return []
  Object.assign(message, { result: { ...result, tools: tools.filter(tool => !odd.includes(tool)) } })
  return odd.flatMap(tool => (isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []))
}
