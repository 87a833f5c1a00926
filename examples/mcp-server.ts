// A host's tools as an MCP server on stdin and stdout, for any client of the protocol that starts it as a command.

import { userInfo } from 'node:os'
import { tool } from 'toolturn'
import { embedded } from 'toolturn/embedded'
import { mcpServer } from 'toolturn/mcp'

const refund = tool({
  name: 'refund',
  description: 'Refund an order. Use only when the customer asked for their money back. Do not use for exchanges.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'at-most-once', // never runs twice, whatever dies; and a person is asked first, since a model wrote the arguments
  run: ({ id }, call) => `refunded ${id} under key ${call.invocationId.slice(0, 8)}…`,
})

const server = await mcpServer(
  { tools: [refund], store: embedded('.toolturn') },
  {
    name: 'orders',
    version: '1.0.0',
    // Whoever started this process. Over HTTP it is given the request, and says whom its token names.
    authenticate: () => ({ principal: { issuer: 'os', id: userInfo().username, kind: 'person' } }),
  },
)
await server.stdio()
await server.close()
