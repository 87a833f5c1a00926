// The server over connections that stay: stdio, or any transport of the SDK. The sender is the same for all of a connection.

import { Transform, type Readable, type Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport, type StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import { errorName } from '../../../machines/errors.ts'
import { refuse } from '../../../machines/runtime/door.ts'
import { argumentTexts } from './argument-text.ts'
import { readCaller, type Authenticate, type Caller } from './caller.ts'
import type { House } from './house.ts'
import { protocolServer, tellListChanged, type Exchange } from './protocol.ts'

export type Connections = {
  /** Serves one connection; resolves when it has ended. */
  readonly serve: (transport: Transport) => Promise<void>
  /** The same over a pair of streams, one JSON message a line. */
  readonly serveLines: (input: Readable, output: Writable) => Promise<void>
  readonly listChanged: () => void
  readonly close: () => Promise<void>
}

export function createConnections(house: House, authenticate: Authenticate): Connections {
  const handles = new Set<StdioServerHandle>()
  const servers = new Set<Server>()

  const serve = async (transport: Transport, argumentText: Exchange['argumentText']): Promise<void> => {
    const exchange: Exchange = { caller: await sender(authenticate), argumentText }
    const open = () => remembered(protocolServer(house, always(exchange)), servers)
    const onerror = (error: Error) => house.log.warn('a message over MCP was not served', { error: errorName(error) })
    const handle = serveStdio(open, { transport, onerror })
    handles.add(handle)
    await ended(transport)
    handles.delete(handle)
  }

  return {
    serve: transport => serve(transport, () => undefined),
    serveLines: (input, output) => {
      const { lines, take } = tapLines()
      return serve(new StdioServerTransport(input.pipe(lines), output), take).finally(() => {
        input.unpipe(lines)
        input.pause()
      })
    },
    listChanged: () => {
      for (const server of servers) void tellListChanged(server)
    },
    close: async () => {
      await Promise.all([...handles].map(handle => handle.close()))
    },
  }
}

async function sender(authenticate: Authenticate): Promise<Caller> {
  const found = await authenticate(null)
  if (found === null || found instanceof Response) return refuse('authenticate', 'a caller, for a connection without a request')
  return readCaller(found)
}

function always<T>(value: T): () => T {
  return () => value
}

function remembered(server: Server, servers: Set<Server>): Server {
  servers.add(server)
  server.onclose = () => servers.delete(server)
  return server
}

/** The transport tells one listener, who is set by now; we stand behind it. */
function ended(transport: Transport): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    resolve()
  }
  return promise
}

/** So many calls may be read and not yet taken up, before the oldest text is given up for its value. */
const MOST_TEXTS = 1_000
/** Of one line; the transport takes none that is longer. */
const MOST_CHARACTERS = 10_485_760

/** Lets lines through as they are, and keeps the argument texts of the calls among them until they are taken. */
function tapLines() {
  const texts = new Map<string | number, string>()
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const note = (line: string) => {
    try {
      for (const [id, text] of argumentTexts(line)) texts.set(id, text)
    } catch {
      // No JSON; whoever reads the line answers it.
    }
    const [oldest] = texts.keys()
    if (texts.size > MOST_TEXTS && oldest !== undefined) texts.delete(oldest)
  }
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const [end = '', ...more] = decoder.write(chunk).split('\n')
      rest = rest.length > MOST_CHARACTERS ? '' : rest + end
      for (const next of more) {
        note(rest)
        rest = next
      }
      done(null, chunk)
    },
  })
  const take = (id: string | number) => {
    const text = texts.get(id)
    texts.delete(id)
    return text
  }
  return { lines, take }
}
