// Workload W1: a round with one call, a round with two, a round with text. Idempotent tools, payloads of about 300 bytes.

import type { Model, ModelRound } from '../../machines/ports/model.ts'
import type { SpawnOptions } from '../../machines/runtime/api.ts'
import { tool } from '../../adapters/tool.ts'

/** Words as people write them: a payload that a database cannot compress away. */
const PAYLOAD =
  'Please keep this note for the meeting on Thursday morning: the supplier offers four hundred and twenty metres of cable at a lower ' +
  'price if we order before the end of the quarter, but the delivery may then take until February, which is late for the site in Utrecht.'

const call = (id: string, name: string): ModelRound['items'][number] => ({
  kind: 'call',
  id,
  name,
  arguments: JSON.stringify({ text: `${id} ${PAYLOAD}` }),
})

const ROUNDS: readonly ModelRound[] = [
  { completion: 'clean', stop: 'tool_calls', items: [call('a', 'tool_a')] },
  { completion: 'clean', stop: 'tool_calls', items: [call('b', 'tool_b'), call('c', 'tool_c')] },
  { completion: 'clean', stop: 'end', items: [{ kind: 'text', text: `All three are done. ${PAYLOAD}` }] },
]

export const model: Model = {
  name: 'w1',
  capabilities: { toolCalls: 'native', enforcedOutput: false },
  ask: async (_request, { round }) => ROUNDS[round - 1] as ModelRound,
}

export const tools = ['tool_a', 'tool_b', 'tool_c'].map(name =>
  tool({
    name,
    description: 'Keep a text. Use when a text is to be kept.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
    replayPolicy: 'idempotent',
    contentTrust: 'trusted',
    run: ({ text }) => ({ content: [{ type: 'text', text: `kept ${text}` }] }),
  }),
)

export const turn: SpawnOptions = {
  input: `Keep three texts. ${PAYLOAD}`,
  principal: { issuer: 'https://id.example.com', id: 'ana', kind: 'person' },
}
