// A turn of a model that a provider package of the AI SDK reaches, with a tool that was written for that SDK.

import { openai } from '@ai-sdk/openai'
import { tool as aiTool } from 'ai'
import { createRuntime, tool } from 'toolturn'
import { aiSdk, fromAiSdk } from 'toolturn/ai-sdk'
import { z } from 'zod'

const findOrder = aiTool({
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ id, item: 'teapot', paid: 24 }),
})

const refund = tool({
  name: 'refund',
  description: 'Refund an order. Use only when the customer asked for their money back. Do not use for exchanges.',
  input: z.object({ id: z.string() }),
  replayPolicy: 'at-most-once',
  run: ({ id }) => `refunded ${id}`,
})

const runtime = await createRuntime({
  model: aiSdk(openai('gpt-5')), // the key is in OPENAI_API_KEY
  tools: [fromAiSdk('find_order', findOrder, { replayPolicy: 'read-only' }), refund],
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
