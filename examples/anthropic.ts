// A turn of a model of Anthropic: it says what it does while it does it, and waits with the refund for the person whose money it is.

import { createRuntime, tool } from 'toolturn'
import { anthropic } from 'toolturn/anthropic'

const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false } as const

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  input,
  replayPolicy: 'read-only',
  run: ({ id }) => ({ structuredContent: { id, item: 'teapot', paid: 24 } }),
})

const refund = tool({
  name: 'refund',
  description: 'Refund an order. Use only when the customer asked for their money back. Do not use for exchanges.',
  input,
  replayPolicy: 'at-most-once',
  run: ({ id }) => `refunded ${id}`,
})

const runtime = await createRuntime({
  model: anthropic('claude-sonnet-5-5'), // the key is in ANTHROPIC_API_KEY
  tools: [findOrder, refund],
  system: 'You work in a shop. Look at an order before you refund it.',
})

const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const turn = await runtime.spawn({ input: 'Order 42 arrived broken. Please refund it.', principal: ana })

for await (const event of turn.events({ progress: true })) {
  if (event.type === 'progress' && event.data['kind'] === 'text') process.stdout.write(event.data['text'] as string)
  if (event.type === 'call.recorded') console.log(`\ncall ${event.data.ordinal} is done`)
  if (event.type === 'call.held') await runtime.approve(event.data.approvalId, { as: ana, via: 'app' })
}

const { state, output, code } = await turn.result()
console.log(`\n${state}: ${output?.text ?? code}`)
await runtime.close()
