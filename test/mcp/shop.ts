// An MCP server in this process: what it lists, how it answers and when it is gone are in the hands of a test. It keeps what it was sent.

import {
  InMemoryTransport,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type JSONRPCMessage,
  type ServerContext,
  type Tool as ListedTool,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

export type Answer = (
  params: CallParams,
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>
export type CallParams = {
  readonly name: string
  readonly arguments?: { readonly [name: string]: unknown }
  readonly _meta?: { readonly [name: string]: unknown }
}
export type Sent = { readonly method: string; readonly params: { readonly [name: string]: unknown } }

export type ShopOptions = {
  readonly tools: readonly ListedTool[]
  readonly call?: Answer
  /** Only the handshake of before 2026-07-28. */
  readonly legacy?: boolean
  /** Tools of a page. Default: all. */
  readonly page?: number
  /** Changes what goes out: for what no server of the SDK would send. */
  readonly tamper?: (message: JSONRPCMessage) => JSONRPCMessage
}

export type Shop = {
  /** For `mcp({ transport })`: a new connection each time. */
  readonly transport: () => Transport
  /** What it was sent, over all connections. */
  readonly sent: (method: string) => readonly Sent[]
  readonly connections: () => number
  /** Lists other tools from now on, and tells whoever listens. */
  readonly become: (...tools: readonly ListedTool[]) => Promise<void>
  /** All connections are gone, as when the process died. */
  readonly cut: () => Promise<void>
  /** While true nobody can connect. */
  down: boolean
}

export function openShop(options: ShopOptions): Shop {
  const { call = () => ({ content: [{ type: 'text', text: 'done' }] }), legacy = false, tamper = message => message } = options
  let tools = options.tools
  const page = options.page ?? 1_000
  const messages: Sent[] = []
  const servers = new Set<Server>()
  const lines = new Set<Transport>()
  let connections = 0
  const serve = (): Server => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler('tools/list', request => {
      const start = Number(request.params?.cursor ?? 0)
      const end = start + page
      return { tools: tools.slice(start, end), ...(end < tools.length ? { nextCursor: String(end) } : {}) }
    })
    server.setRequestHandler('tools/call', ({ params }, context) => call(params as CallParams, context))
    servers.add(server)
    return server
  }
  const shop: Shop = {
    down: false,
    transport: () => {
      if (shop.down) throw new Error('nobody is there')
      const [mine, theirs] = InMemoryTransport.createLinkedPair()
      connections += 1
      lines.add(theirs)
      const send = mine.send.bind(mine)
      mine.send = (message, sending) => {
        if ('method' in message) messages.push({ method: message.method, params: message.params ?? {} })
        return send(message, sending)
      }
      const answer = theirs.send.bind(theirs)
      theirs.send = (message, sending) => answer(tamper(message), sending)
      if (legacy) void serve().connect(theirs)
      else serveStdio(serve, { transport: theirs })
      return mine
    },
    sent: method => messages.filter(each => each.method === method),
    connections: () => connections,
    become: async (...next) => {
      tools = next
      for (const server of servers) await server.sendToolListChanged().catch(() => undefined)
    },
    cut: async () => {
      for (const line of lines) await line.close()
      lines.clear()
      servers.clear()
    },
  }
  return shop
}

/** A tool as a server lists it. */
export function listed(name: string, more: Partial<ListedTool> = {}): ListedTool {
  return { name, description: `What ${name} does.`, inputSchema: { type: 'object' }, ...more }
}
