// One server of the SDK, for one request or one connection: the protocol's words to ours and back.

import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type ClientCapabilities,
  type RequestId,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { ERROR_PAGES, errorName, ToolturnError } from '../../../machines/errors.ts'
import type { Caller } from './caller.ts'
import { callTool, type Asked } from './call.ts'
import type { House } from './house.ts'
import { isSchema, listTools } from './listing.ts'
import { digestOfCall } from './request-state.ts'

/** Who sends a request, and the texts of the arguments in it. */
export type Exchange = {
  readonly caller: Caller
  /** The arguments of this request as they came; undefined where only their value is known, null where there were none. */
  readonly argumentText: (id: RequestId) => string | null | undefined
}

/** `_meta` of a call: the client's own name for it, unique among its calls. A second call under it is the same call. */
const KEY = 'toolturn/key'

/** @param exchangeOf who stands behind a request */
export function protocolServer(house: House, exchangeOf: (context: ServerContext) => Exchange): Server {
  const { info, instructions, underWay, closing, tools } = house
  const { server } = new McpServer(info, {
    capabilities: { tools: { listChanged: true } },
    ...(instructions === undefined ? {} : { instructions }),
  })
  server.setRequestHandler('tools/list', request => listTools(house, request.params?.cursor))
  server.setRequestHandler('tools/call', async (request, context) => {
    if (closing()) throw new ProtocolError(ProtocolErrorCode.InternalError, 'The server is closing. Nothing ran; call again.')
    const asked = readCall(request, context, exchangeOf(context), asksOver(server, context))
    const result = await underWay(callTool(house, asked)).catch(asProtocolError(house))
    if (isInputRequiredResult(result)) return result
    const schema = tools.get(asked.name)?.descriptor.outputSchema
    return server.projectCallToolResult(result, isSchema(schema) ? schema : undefined)
  })
  return server
}

export function tellListChanged(server: Server): Promise<void> {
  return server.sendToolListChanged().catch(() => {
    // The client has gone; it lists anew when it comes back.
  })
}

function readCall({ params }: CallToolRequest, { mcpReq }: ServerContext, { caller, argumentText }: Exchange, asks: boolean): Asked {
  const { name, arguments: given } = params
  const { _meta: meta, id, signal, inputResponses } = mcpReq
  const written = argumentText(id)
  const token = meta?.progressToken
  return {
    caller,
    name,
    text: written === undefined ? (given === undefined ? null : JSON.stringify(given)) : written,
    call: digestOfCall(name, given),
    key: keyIn(meta),
    state: mcpReq.requestState<string>(),
    responses: inputResponses,
    asks,
    signal,
    onEvent:
      token === undefined
        ? null
        : ({ type, version }) =>
            mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: version, message: type } }),
  }
}

function keyIn(meta: { readonly [name: string]: unknown } | undefined): string | undefined {
  const key = meta?.[KEY]
  if (key === undefined || typeof key === 'string') return key
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `\`${KEY}\` is not valid: expected a text.`)
}

/** Newer clients say with each request what they can, older ones once. Elicitation without a kind has forms. */
function asksOver(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined = mcpReq.envelope
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** Errors of ours carry their code and no content; of any other one only its name is told, and that to the log. */
function asProtocolError({ log }: House): (error: unknown) => never {
  return error => {
    if (error instanceof ProtocolError) throw error
    if (!(error instanceof ToolturnError)) {
      log.error('a call over MCP failed', { error: errorName(error) })
      throw new ProtocolError(ProtocolErrorCode.InternalError, ERROR_PAGES.internal.what)
    }
    const callers = error.whoseMove === 'caller'
    throw new ProtocolError(callers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, error.message, {
      code: error.code,
      ...(error.turnId === undefined ? {} : { turn: error.turnId }),
    })
  }
}
