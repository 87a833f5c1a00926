// `tools/list`: the offered tools as the protocol describes them, page by page.

import { Buffer } from 'node:buffer'
import { ProtocolError, ProtocolErrorCode, type ListToolsResult, type Tool } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../../machines/json.ts'
import type { Tool as HostTool, ToolDescriptor } from '../../../machines/tool.ts'
import type { House } from './house.ts'

const PAGE = 100

/** @throws ProtocolError -32602 for a cursor that is none */
export function listTools({ tools, offered }: Pick<House, 'tools' | 'offered'>, cursor: string | undefined): ListToolsResult {
  const names = offered().filter(name => tools.get(name)?.descriptor.quarantined === undefined)
  const start = cursor === undefined ? 0 : placeBehind(names, [...tools.keys()], cursor)
  const page = names.slice(start, start + PAGE)
  const last = page.at(-1)
  const more = last !== undefined && start + PAGE < names.length
  return {
    tools: page.flatMap(name => describe(tools.get(name))),
    ...(more ? { nextCursor: Buffer.from(last, 'utf8').toString('base64url') } : {}),
  }
}

/** A cursor names the last tool of the page before, so it holds also when what is offered has changed meanwhile. */
function placeBehind(names: readonly string[], catalog: readonly string[], cursor: string): number {
  const place = catalog.indexOf(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (place === -1) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is none of this server.')
  const next = names.findIndex(name => catalog.indexOf(name) > place)
  return next === -1 ? names.length : next
}

function describe(tool: HostTool | undefined): Tool[] {
  if (tool === undefined) return []
  const { name, description, inputSchema, outputSchema, replayPolicy } = tool.descriptor
  return [
    {
      name,
      description,
      inputSchema: ofObjects(inputSchema) as Tool['inputSchema'],
      ...(isSchema(outputSchema) ? { outputSchema } : {}),
      annotations: hintsOf(replayPolicy),
      _meta: { 'toolturn/replayPolicy': replayPolicy },
    },
  ]
}

/**
 * The protocol calls a tool idempotent whose second call with the same arguments changes nothing. Ours are idempotent by their key
 * (D3), and two calls have two keys, so only what reads is called so. What is not known to be harmless counts as destructive.
 */
function hintsOf(replayPolicy: ToolDescriptor['replayPolicy']): NonNullable<Tool['annotations']> {
  const reads = replayPolicy === 'read-only'
  return { readOnlyHint: reads, destructiveHint: !reads, idempotentHint: reads }
}

/** Arguments are always an object; the protocol wants the schema to say so. */
function ofObjects(schema: JsonObject | boolean): JsonObject {
  if (schema === true) return { type: 'object' }
  if (schema === false) return { type: 'object', not: {} }
  return { ...schema, type: 'object' }
}

export function isSchema(schema: JsonObject | boolean | undefined): schema is JsonObject {
  return typeof schema === 'object'
}
