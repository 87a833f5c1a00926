// The tools of an MCP server in a turn: read without asking, since the host says so, and written only once a person agrees.

import { mkdirSync, writeFileSync } from 'node:fs'
import { createRuntime, scripted } from 'toolturn'
import { mcp } from 'toolturn/mcp'

mkdirSync('notes', { recursive: true })
writeFileSync('notes/order.txt', 'Order 42: one teapot, broken.')

const files = await mcp({
  name: 'files',
  command: 'mcp-server-filesystem', // or `url` and `headers`, over streamable HTTP
  args: ['notes'],
  tools: { read_text_file: { replayPolicy: 'read-only' } }, // your word for it: what the server hints decides nothing
})

const runtime = await createRuntime({
  tools: [files], // beside tools of your own
  model: scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'read_text_file', arguments: { path: 'notes/order.txt' } } }] },
    { stop: 'tool_calls', content: [{ call: { name: 'write_file', arguments: { path: 'notes/done.txt', content: 'Refunded.' } } }] },
    { stop: 'end', content: [{ text: 'Noted.' }] },
  ]),
})

const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const turn = await runtime.spawn({ input: 'Note that order 42 is refunded.', principal: ana })

for await (const event of turn.events()) {
  if (event.type === 'turn.opened') console.log(`${event.data.catalog.length} tools, ${event.data.contentTrust}`)
  if (event.type === 'call.dispatched') console.log(`runs ${event.data.tool}`)
  if (event.type === 'call.held') {
    console.log(`asks for ${event.data.tool}: ${event.data.reason}`)
    await runtime.approve(event.data.approvalId, { as: ana, via: 'app' })
  }
}

const { state, output } = await turn.result()
console.log(`${state}: ${output?.text}`)
await runtime.close()
