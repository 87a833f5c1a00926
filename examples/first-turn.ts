// A turn from its request to its end, and its replay: what the README shows first.

import { createRuntime, scripted, tool } from 'toolturn'

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'read-only', // may run again at will; what it returns is untrusted unless you say otherwise
  run: ({ id }) => ({ structuredContent: { id, item: 'teapot', paid: 24 } }),
})

const refund = tool({
  name: 'refund',
  description: 'Refund an order. Use only when the customer asked for their money back. Do not use for exchanges.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'at-most-once', // never runs twice, whatever dies
  run: ({ id }, call) => `refunded ${id} under key ${call.invocationId.slice(0, 8)}…`,
})

const runtime = await createRuntime({
  tools: [findOrder, refund],
  model: scripted([
    { stop: 'tool_calls', content: [{ call: { id: 'a', name: 'find_order', arguments: { id: '42' } } }] },
    { stop: 'tool_calls', content: [{ call: { id: 'b', name: 'refund', arguments: { id: '42' } } }] },
    { stop: 'end', content: [{ text: 'Order 42 is refunded.' }] },
  ]),
})

const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const turn = await runtime.spawn({ input: 'Order 42 arrived broken. Please refund it.', principal: ana })

for await (const event of turn.events()) {
  console.log(String(event.version).padStart(2), event.type)
  // The order's text could say anything, so the refund waits for Ana herself: not for a link, not for a delegate, not for a model.
  if (event.type === 'call.held') await runtime.approve(event.data.approvalId, { as: ana, via: 'app' })
}

const { state, output } = await turn.result()
const replayed = await runtime.replay(turn.id)
console.log(`${state}: ${output?.text}`)
console.log(`replayed: ${replayed.state}, ${replayed.executions} tools run, ${replayed.same ? 'the same' : 'not the same'}`)
await runtime.close()
