// What the command line is given as `--config` in tests. The model's script goes by the first word of the input: `refund` looks an
// order up and refunds it, which then waits for the acting person; `ask` asks; `crash` dies inside a tool, `hang` never comes back
// from one; for anything else there is nothing to do.

import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Model, ModelRequest } from '../../machines/ports/model.ts'

/** Text that would clear a terminal, rename its window and turn its writing. */
export const HOSTILE = '\u001b[2J\u001b]0;owned\u0007 broken \u009b31m \u202e'

const orderSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id.',
  input: orderSchema,
  replayPolicy: 'read-only',
  run: async () => ({ content: [{ type: 'text', text: HOSTILE }] }),
})

const refund = tool({
  name: 'refund',
  description: 'Refund one order.',
  input: orderSchema,
  replayPolicy: 'at-most-once',
  run: async ({ id }) => ({ refunded: id }),
})

const crash = tool({
  name: 'crash',
  description: 'Does not come back.',
  input: { type: 'object' },
  replayPolicy: 'at-most-once',
  approval: 'never',
  run: () => process.kill(process.pid, 'SIGKILL'),
})

const hang = tool({
  name: 'hang',
  description: 'Never answers, and does not listen.',
  input: { type: 'object' },
  replayPolicy: 'at-most-once',
  approval: 'never',
  run: () => new Promise(() => undefined),
})

const ask = tool({
  name: 'ask_user',
  description: 'Ask the person.',
  input: { type: 'object', properties: { question: { type: 'string' } } },
  replayPolicy: 'read-only',
  run: () => null,
})

const call = (name: string, args: JsonObject) => ({ stop: 'tool_calls', content: [{ call: { id: name, name, arguments: args } }] })
const end = (text: string) => ({ stop: 'end', content: [{ text }] })

const scripts: { readonly [word: string]: Model } = {
  refund: scripted([call('find_order', { id: '42' }), call('refund', { id: '42' }), end(`Refunded. ${HOSTILE}`)]),
  ask: scripted([call('ask_user', { question: 'Which one?' }), end('Thank you.')]),
  crash: scripted([call('crash', {}), end('Back again.')]),
  hang: scripted([call('hang', {})]),
}

function scriptOf(request: ModelRequest): Model {
  const first = request.messages.find(message => message.role === 'user')
  const word = first !== undefined && 'text' in first ? first.text.split(' ')[0] : ''
  return scripts[word ?? ''] ?? scripted([end('There is nothing to do.')])
}

export default {
  name: process.env['TEST_RUNTIME'] ?? 'default',
  tools: [findOrder, refund, crash, hang, ask],
  model: {
    name: 'scripted by its input',
    capabilities: { toolCalls: 'native', enforcedOutput: true },
    ask: (request, context) => scriptOf(request).ask(request, context),
  } satisfies Model,
}
