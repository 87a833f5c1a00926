// All pages of a server's list of tools, within bounds: a list without end is no list.

import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { canonicalJson } from '../../../machines/json.ts'
import type { Connection } from './connection.ts'

/** A tool as the server wrote it; null where what it wrote is none, or two different ones under one name. */
export type Listing = { readonly name: string; readonly tool: ListedTool | null }

const MOST_PAGES = 100
const MOST_TOOLS = 1_000
/** Of all that is frozen into each turn that offers it. */
const MOST_BYTES = 2_097_152

/**
 * The tools by name, in the order of their names: a server may list them in another order each time.
 *
 * @param ms for each page
 * @throws Error where the server does not answer, or lists too much
 */
export async function listTools(connection: Connection, ms: number): Promise<readonly Listing[]> {
  const listed = new Map<string, ListedTool | null>()
  let bytes = 0
  let cursor: string | undefined
  for (let page = 1; ; page += 1) {
    if (page > MOST_PAGES) throw new ListTooLong('pages', MOST_PAGES)
    const { tools, nextCursor } = await readPage(connection, cursor, ms)
    for (const name of connection.malformed.take()) listed.set(name, null)
    for (const tool of tools) {
      const same = !listed.has(tool.name) || canonicalJson(listed.get(tool.name) ?? null) === canonicalJson(tool)
      listed.set(tool.name, same ? tool : null)
      bytes += Buffer.byteLength(JSON.stringify(tool))
    }
    if (listed.size > MOST_TOOLS) throw new ListTooLong('tools', MOST_TOOLS)
    if (bytes > MOST_BYTES) throw new ListTooLong('bytes', MOST_BYTES)
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return [...listed].map(([name, tool]) => ({ name, tool })).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

async function readPage({ client, during }: Connection, cursor: string | undefined, ms: number) {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], nextCursor: undefined }
  return during(() => client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, { timeout: ms }))
}

/** The list is not taken at all: a part of it would be another catalog. */
class ListTooLong extends Error {
  readonly code: string

  constructor(what: 'pages' | 'tools' | 'bytes', most: number) {
    super(`the list has more than ${most} ${what}`)
    this.code = `more than ${most} ${what}`
  }
}
