// Clients of the protocol before 2026-07-28 over HTTP: each has a session, over which it can also be asked something. A session belongs
// to the party that began it, and is forgotten when it was idle for long or others need its place; the client then begins anew.

import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport, type Server } from '@modelcontextprotocol/server'
import { partyName, type Caller } from './caller.ts'

type Session = {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  readonly party: string
  used: number
}

export type Sessions = {
  /** @param body of a POST, parsed */
  readonly serve: (request: Request, caller: Caller, body: unknown) => Promise<Response>
  readonly servers: () => readonly Server[]
  readonly close: () => Promise<void>
}

const MOST_SESSIONS = 1_000
const IDLE_MS = 3_600_000

/** @param open makes a server for a new session; it is closed with it */
export function createSessions(open: () => Server): Sessions {
  const sessions = new Map<string, Session>()

  const forget = async (id: string, session: Session) => {
    sessions.delete(id)
    await session.transport.close()
  }

  /** In the order of their last use, the longest ago first. */
  const makeRoom = async () => {
    for (const [id, session] of sessions) {
      const idle = Date.now() - session.used > IDLE_MS
      if (!idle && sessions.size < MOST_SESSIONS) return
      await forget(id, session)
    }
  }

  const begin = async (party: string): Promise<Session> => {
    await makeRoom()
    const session: Session = {
      transport: new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => {
          sessions.set(id, session)
        },
        onsessionclosed: id => {
          sessions.delete(id)
        },
      }),
      server: open(),
      party,
      used: Date.now(),
    }
    await session.server.connect(session.transport)
    return session
  }

  const known = (id: string, party: string): Session | null => {
    const session = sessions.get(id)
    if (session === undefined || session.party !== party) return null
    session.used = Date.now()
    sessions.delete(id)
    sessions.set(id, session)
    return session
  }

  return {
    serve: async (request, caller, body) => {
      const id = request.headers.get('mcp-session-id')
      const party = partyName(caller)
      const session = id === null ? await begin(party) : known(id, party)
      if (session === null) return noSession()
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
      // What was sent without a session and began none: it is answered, and nothing is kept for it.
      if (session.transport.sessionId === undefined) await session.transport.close()
      return response
    },
    servers: () => [...sessions.values()].map(session => session.server),
    close: async () => {
      await Promise.all([...sessions].map(([id, session]) => forget(id, session)))
    },
  }
}

/** The same for a session that never was, is gone, or is another party's; the client begins a new one. */
function noSession(): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null }, { status: 404 })
}
