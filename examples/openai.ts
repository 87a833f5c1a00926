// A turn of a model of OpenAI: it reads an order, asks to refund it, and waits for the person whose money it is.

import { createRuntime, tool } from 'toolturn'
import { openai } from 'toolturn/openai'

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
  model: openai('gpt-5'), // the key is in OPENAI_API_KEY
  tools: [findOrder, refund],
  system: 'You work in a shop. Look at an order before you refund it.',
})

const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const turn = await runtime.spawn({ input: 'Order 42 arrived broken. Please refund it.', principal: ana })

for await (const event of turn.events()) {
  if (event.type === 'call.held') await runtime.approve(event.data.approvalId, { as: ana, via: 'app' })
  if (event.type === 'call.recorded') console.log(`call ${event.data.ordinal} is done`)
}

const { state, output, code } = await turn.result()
console.log(`${state}: ${output?.text ?? code}`)
await runtime.close()
