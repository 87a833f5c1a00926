// A payment whose worker is gone: in doubt, settled by somebody who looked, and gone on with in another turn.

import { createRuntime, memory, scripted, tool } from 'toolturn'

let begun = 0

const pay = tool({
  name: 'pay',
  description: 'Pay an invoice. Use only when it was asked for. Do not use for refunds.',
  input: { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'], additionalProperties: false },
  replayPolicy: 'at-most-once',
  run: ({ invoice }) => ((begun += 1) === 1 ? new Promise<string>(() => {}) : `paid ${invoice}`), // the first answer never comes
})

const host = {
  store: memory(), // in earnest one that outlives its workers
  tools: [pay],
  model: scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'pay', arguments: { invoice: '7' } } }] },
    { stop: 'end', content: [{ text: 'Invoice 7 is paid.' }] },
  ]),
}

const worker = await createRuntime(host)
const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const { id, events } = await worker.spawn({ input: 'Please pay invoice 7.', principal: ana })
for await (const event of events()) if (event.type === 'call.dispatched') break
await worker.close({ graceMs: 0 })

const runtime = await createRuntime(host)
const turn = await runtime.get(id)
const doubtful = await turn.result()
console.log(`${doubtful.state}: ${doubtful.code}`)

// Somebody looked into the bank's books. `didNotHappen: true` takes `workerIsDead: true` beside it: else it might happen yet.
await runtime.settle(id, 1, { as: ana, via: 'app', happened: { paid: 24 } })
const settled = await turn.result()
console.log(`${settled.state}: ${settled.output?.text}`)

// Another turn that shares the first three events. The payment is a call of its own there, under another key.
const forked = await runtime.fork(id, { at: 3, as: ana })
const { state } = await forked.result()
console.log(`${state}: ${begun} payments were begun`)
await runtime.close()
