// A new transport to the server, for one connection, with what the client library leaves open closed: an answer that ends too early is
// the end of its call, and no answer is without end.

import { StreamableHTTPClientTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { boundedFetch } from './bounded-fetch.ts'
import type { Way } from './options.ts'

/** Bytes of one message over standard output. */
const MOST_BYTES = 33_554_432

/** What stands in the error of a request whose stream ended before its answer. */
export const STREAM_ENDED = Object.freeze({ streamEnded: true })

export async function openTransport(way: Way): Promise<Transport> {
  switch (way.by) {
    case 'stdio': {
      const { by: _, ...parameters } = way
      return new StdioClientTransport({ ...parameters, maxBufferSize: MOST_BYTES })
    }
    case 'http': {
      const { url, headers, authProvider } = way
      const options = { requestInit: { headers }, fetch: boundedFetch(), ...(authProvider === undefined ? {} : { authProvider }) }
      return endingCalls(new StreamableHTTPClientTransport(url, options))
    }
    case 'transport':
      return way.open()
  }
}

/**
 * The library waits for its time-out where a stream ends without the answer; here the request is answered with an error at once. Where
 * the server lets a stream be resumed, it is tried first, which sends no call again.
 */
function endingCalls(transport: StreamableHTTPClientTransport): Transport {
  const send = transport.send.bind(transport)
  const fail = (message: JSONRPCMessage): void => {
    if (!('id' in message) || !('method' in message)) return
    const error = { code: -32_000, message: 'the stream ended without an answer', data: STREAM_ENDED }
    transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
  }
  transport.send = (message: JSONRPCMessage | JSONRPCMessage[], options?: Parameters<typeof send>[1]) => {
    if (Array.isArray(message)) return send(message, options)
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.()
      fail(message)
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
  return transport
}
