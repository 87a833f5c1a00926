// An MCP server over the memory store, and clients of the SDK that speak to its fetch handler. Who sends is in a header that the
// host's `authenticate` reads, so a test may change it between two requests of one call.

import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { mcpServer, type McpHostOptions, type McpServerHandle, type McpServerOptions } from '../../adapters/mcp/index.ts'
import { tool } from '../../adapters/tool.ts'
import type { PrincipalInput } from '../../machines/runtime/api.ts'
import type { ContentTrust } from '../../machines/tool.ts'
import { memory } from '../../store/memory-source.ts'
import { memoryDatabase, type MemoryDatabase } from '../../store/memory.ts'

export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person', scopes: ['mail:send'] } as const
const BEN = { ...ANA, id: 'ben' } as const
const ROBOT = { ...ANA, id: 'robot', kind: 'service' } as const
export const KEY = Buffer.alloc(32, 7)
export const MODERN = '2026-07-28'

const WHO: { readonly [name: string]: PrincipalInput } = { ana: ANA, ben: BEN, robot: ROBOT }
const ENDPOINT = 'http://localhost/mcp'

/** What tools did, in the order they did it. */
export type Effects = { readonly tool: string; readonly args: unknown; readonly invocationId: string }[]

export type Stage = {
  readonly server: McpServerHandle
  readonly database: MemoryDatabase
  readonly effects: Effects
  /** A connected client. `who` is sent with each request, and may be changed. */
  readonly client: (who: { name: string }, options?: ClientOptions & { readonly era?: 'legacy' }) => Promise<Client>
  /** A request as it stands, for what no client would send. */
  readonly send: (who: string, body: string, headers?: Record<string, string>) => Promise<Response>
  readonly close: () => Promise<void>
}

type StageOptions = {
  readonly host?: McpHostOptions
  readonly options?: Partial<McpServerOptions>
  readonly database?: MemoryDatabase
  readonly effects?: Effects
  readonly contentTrust?: ContentTrust
}

export async function openStage(given: StageOptions = {}): Promise<Stage> {
  const { host = {}, options = {}, database = memoryDatabase(), effects = [], contentTrust } = given
  const server = await mcpServer(
    { store: memory(database), key: KEY, tools: mailTools(effects), ...host },
    {
      name: 'mail',
      version: '1.0.0',
      authenticate: request => {
        const principal = WHO[request?.headers.get('authorization') ?? '']
        return principal === undefined ? null : { principal, ...(contentTrust === undefined ? {} : { contentTrust }) }
      },
      ...options,
    },
  )
  const clients: Client[] = []
  return {
    server,
    database,
    effects,
    client: async (who, { era, ...more } = {}) => {
      const negotiation = era === 'legacy' ? {} : { versionNegotiation: { mode: { pin: MODERN } } }
      const client = new Client({ name: 'test', version: '1.0.0' }, { ...negotiation, ...more })
      const fetching = (url: string | URL, init?: RequestInit) => {
        const headers = new Headers(init?.headers)
        headers.set('authorization', who.name)
        return server.fetch(new Request(url, { ...init, headers }))
      }
      await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { fetch: fetching }))
      clients.push(client)
      return client
    },
    send: (who, body, headers = {}) =>
      server.fetch(
        new Request(ENDPOINT, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: who, ...headers },
          body,
        }),
      ),
    close: async () => {
      await Promise.all(clients.map(client => client.close()))
      await server.close()
    },
  }
}

/** A read, a write that asks on an untrusted turn, an ask, and a tool that waits for its abort. */
export function mailTools(effects: Effects) {
  const did = (name: string, args: unknown, invocationId: string) => effects.push({ tool: name, args, invocationId })
  return [
    tool({
      name: 'read_mail',
      description: 'Read one mail.',
      input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
      output: { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] },
      replayPolicy: 'read-only',
      run: ({ id }, call) => {
        did('read_mail', { id }, call.invocationId)
        return { structuredContent: { from: `sender-${id}@example.com` } }
      },
    }),
    tool({
      name: 'send_mail',
      description: 'Send one mail.',
      input: { type: 'object', properties: { to: { type: 'string' }, pin: { type: 'string', writeOnly: true } }, required: ['to'] },
      replayPolicy: 'at-most-once',
      run: (args, call) => {
        did('send_mail', args, call.invocationId)
        return `sent to ${args.to}`
      },
    }),
    tool({
      name: 'ask_user',
      description: 'Ask the person.',
      input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
      replayPolicy: 'read-only',
      run: () => 'never run',
    }),
    tool({
      name: 'wait',
      description: 'Wait until it is aborted.',
      input: { type: 'object' },
      replayPolicy: 'read-only',
      run: (_args, call) =>
        new Promise(resolve => {
          did('wait', {}, call.invocationId)
          call.signal.addEventListener('abort', () => resolve('aborted'))
        }),
    }),
  ]
}
