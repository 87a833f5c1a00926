// What the command line is given: the options of a runtime.

import { scripted, tool, type HostOptions } from 'toolturn'

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'read-only',
  run: ({ id }) => ({ structuredContent: { id, item: 'teapot', paid: 24 } }),
})

export default {
  tools: [findOrder],
  model: scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'find_order', arguments: { id: '42' } } }] },
    { stop: 'end', content: [{ text: 'A teapot.' }] },
  ]), // in earnest `anthropic('…')`, `openai('…')` or one of your own
} satisfies HostOptions
