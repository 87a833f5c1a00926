// The same server behind a real socket on this machine, and what may become of a call on its way.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool as ListedTool } from '@modelcontextprotocol/server'
import type { Answer, CallParams } from './shop.ts'

/** What becomes of a call that arrived: it is answered, or the socket dies, or its stream ends, or a status comes instead. */
export type Fate = 'answer' | 'reset' | 'end' | 'end-resumable' | 'silence' | 500 | 404

export type WebShop = {
  readonly url: string
  /** Bodies of the calls that arrived. */
  readonly calls: () => readonly CallParams[]
  readonly headers: () => readonly IncomingHttpHeaders[]
  /** Calls whose connection the client closed before an answer. */
  readonly left: () => number
  fate: Fate
  readonly become: (...tools: readonly ListedTool[]) => void
  readonly close: () => Promise<void>
}

export async function openWebShop(given: readonly ListedTool[], call: Answer, { legacy = false } = {}): Promise<WebShop> {
  let tools = given
  let left = 0
  const calls: CallParams[] = []
  const headers: IncomingHttpHeaders[] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'web', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler('tools/list', () => ({ tools: [...tools] }))
    server.setRequestHandler('tools/call', ({ params }, context) => call(params as CallParams, context))
    return server
  })
  const node = toNodeHandler(handler)
  const pass = (request: IncomingMessage, response: ServerResponse, body: unknown) =>
    node(request as Parameters<typeof node>[0], response, body)
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = request.method === 'POST' ? await readBody(request) : undefined
    if (legacy && body?.method === 'server/discover') return answerUnknown(response, body.id)
    if (body?.method !== 'tools/call') return pass(request, response, body)
    calls.push(body.params as CallParams)
    headers.push(request.headers)
    response.on('close', () => {
      if (!response.writableEnded) left += 1
    })
    await meet(shop.fate, response, () => pass(request, response, body))
  }
  const http = createServer((request, response) => void serve(request, response))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const shop: WebShop = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    calls: () => calls,
    headers: () => headers,
    left: () => left,
    fate: 'answer',
    become: (...next) => {
      tools = next
      handler.notify.toolsChanged()
    },
    close: async () => {
      await handler.close()
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
    },
  }
  return shop
}

type Body = { readonly method?: string; readonly id?: unknown; readonly params?: unknown }

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body
}

function answerUnknown(response: ServerResponse, id: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
}

async function meet(fate: Fate, response: ServerResponse, pass: () => Promise<void>): Promise<void> {
  switch (fate) {
    case 'answer':
      return pass()
    case 'reset':
      response.destroy()
      return
    case 'silence':
      return
    case 'end':
    case 'end-resumable':
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(fate === 'end' ? ': nothing\n\n' : 'id: 1\nretry: 10\ndata:\n\n')
      return
    case 404:
    case 500:
      response.writeHead(fate, { 'content-type': 'text/plain' })
      response.end('secret words of the server')
  }
}
