// The server over streamable HTTP, as a fetch handler: who sends is asked before anything is read, and the body is read once, so that
// the text of a call's arguments is at hand.

import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedOrigins,
  originValidationResponse,
  readRequestBody,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { errorName } from '../../../machines/errors.ts'
import type { Json } from '../../../machines/json.ts'
import { parseJson } from '../../../machines/json-text.ts'
import { argumentTexts } from './argument-text.ts'
import { readCaller, type Authenticate, type Caller } from './caller.ts'
import type { House } from './house.ts'
import { protocolServer, tellListChanged, type Exchange } from './protocol.ts'
import { createSessions } from './sessions.ts'

export type HttpOptions = {
  readonly authenticate: Authenticate
  /** Host names of web pages that may send, where the `Origin` header says that one does. */
  readonly origins: readonly string[] | undefined
  /** Host names under which the server may be addressed; default any. */
  readonly hosts: readonly string[] | undefined
}

export type HttpFace = {
  /** @param options a body that a framework has parsed already */
  readonly fetch: (request: Request, options?: { readonly parsedBody?: unknown }) => Promise<Response>
  readonly listChanged: () => void
  readonly close: () => Promise<void>
}

export function httpFace(house: House, options: HttpOptions): HttpFace {
  const exchanges = new WeakMap<Request, Exchange>()
  const exchangeOf = ({ http }: ServerContext): Exchange => {
    const exchange = http?.req === undefined ? undefined : exchanges.get(http.req)
    if (exchange === undefined) throw new Error('a request of no known sender')
    return exchange
  }
  const handler = createMcpHandler(() => protocolServer(house, exchangeOf), {
    legacy: 'reject',
    onerror: error => house.log.warn('a request over MCP was not served', { error: errorName(error) }),
  })
  const sessions = createSessions(() => protocolServer(house, exchangeOf))

  return {
    fetch: async (request, { parsedBody } = {}) => {
      const turnedAway = guard(request, options) ?? (house.closing() ? problem(503, -32_000, 'The server is closing.') : undefined)
      if (turnedAway !== undefined) return turnedAway
      const caller = await sender(house, request, options.authenticate)
      if (caller instanceof Response) return caller
      const body = await readBody(request, parsedBody)
      if (body instanceof Response) return body
      exchanges.set(request, exchangeFor(caller, body.text))
      const legacy = await isLegacyRequest(request, body.value)
      if (legacy) return sessions.serve(request, caller, body.value)
      return handler.fetch(request, { parsedBody: body.value })
    },
    listChanged: () => {
      handler.notify.toolsChanged()
      for (const server of sessions.servers()) void tellListChanged(server)
    },
    close: async () => {
      await sessions.close()
      await handler.close()
    },
  }
}

/** A page of another site must not reach a server of this machine by a name that it points here. */
function guard(request: Request, { origins = localhostAllowedOrigins(), hosts }: HttpOptions): Response | undefined {
  const wrongHost = hosts === undefined ? undefined : hostHeaderValidationResponse(request, [...hosts])
  return wrongHost ?? originValidationResponse(request, [...origins])
}

async function sender({ log }: House, request: Request, authenticate: Authenticate): Promise<Caller | Response> {
  try {
    const found = await authenticate(request)
    if (found === null) return problem(401, -32_001, 'Authentication is required.', { 'www-authenticate': 'Bearer' })
    return found instanceof Response ? found : readCaller(found)
  } catch (error) {
    log.error('who sends a request over MCP could not be found out', { error: errorName(error) })
    return problem(500, -32_603, 'Internal error')
  }
}

type Body = { readonly text: string | null; readonly value: Json | undefined }

/** A body of no JSON, or of too much of it, is answered here. */
async function readBody(request: Request, parsed: unknown): Promise<Body | Response> {
  if (parsed !== undefined) return { text: null, value: parsed as Json }
  if (request.method !== 'POST') return { text: null, value: undefined }
  const read = await readRequestBody(request)
  if (read.tooLarge) return problem(413, -32_000, 'The request body is too large.')
  try {
    return { text: read.text, value: parseJson(read.text) }
  } catch {
    return problem(400, -32_700, 'Parse error: the request body is not valid JSON.')
  }
}

function exchangeFor(caller: Caller, text: string | null): Exchange {
  if (text === null) return { caller, argumentText: () => undefined }
  const texts = argumentTexts(text)
  return { caller, argumentText: id => texts.get(id) ?? null }
}

function problem(status: number, code: number, message: string, headers: { readonly [name: string]: string } = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}
