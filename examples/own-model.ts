// A turn of a model behind an API of your own: what an adapter has to do, and what it leaves to the runtime.

import { createRuntime, tool, type Model } from 'toolturn'

const house: Model = {
  name: 'house',
  capabilities: { toolCalls: 'native', enforcedOutput: false }, // false: an output schema is asked for in words
  ask: async ({ system, messages, tools }, { signal, purpose }) => {
    if (purpose !== 'live') throw new Error('A replay has all answers on record: nothing is sent.')
    const body = JSON.stringify({ system, messages, tools })
    const response = await fetch(process.env.MODEL_URL ?? 'http://localhost:8080', { method: 'POST', body, signal })
    if (!response.ok) throw failure(response.status)
    const { stop, content } = (await response.json()) as Answer
    return {
      completion: stop === 'done' ? 'clean' : stop === 'declined' ? 'refused' : 'truncated', // a word that you do not know is never clean
      stop,
      items: content.map(part => ('text' in part ? { kind: 'text', text: part.text } : { kind: 'call', ...part })),
    }
  },
}

/** `arguments` is the text as the model wrote it: it is read, and never mended, by the runtime. */
type Answer = {
  stop: string
  content: ({ text: string } | { id: string | null; name: string; arguments: string | null })[]
}

/** Says whether asking again may help, in your own words: a provider's may hold a key. */
function failure(status: number): Error {
  const passing = status >= 500 || status === 429
  const code = passing ? 'model_unavailable' : 'model_request_rejected'
  return Object.assign(new Error(`The house model answered with status ${status}.`), {
    modelFailure: true,
    kind: 'http',
    status,
    code,
    final: !passing,
  })
}

const findOrder = tool({
  name: 'find_order',
  description: 'Find one order by its id. Use when the customer names an order. Do not use for invoices.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  replayPolicy: 'read-only',
  run: ({ id }) => ({ structuredContent: { id, item: 'teapot', paid: 24 } }),
})

const runtime = await createRuntime({ model: house, tools: [findOrder] })
const turn = await runtime.spawn({ input: 'What is in order 42?', principal: null })
const { state, output, code } = await turn.result()
console.log(`${state}: ${output?.text ?? code}`)
await runtime.close()
