// What turns do, told to another part of a system.

import { createRuntime, scripted } from 'toolturn'

const runtime = await createRuntime({ model: scripted([{ stop: 'end', content: [{ text: 'It is paid.' }] }]) })

const ended = Promise.withResolvers<void>()
const subscription = await runtime.subscribe({ name: 'ledger', from: 'new' }, event => {
  console.log(`${event.version} ${event.type}`)
  if (event.type === 'turn.completed') ended.resolve()
})

await runtime.spawn({ input: 'Is order 42 paid?', principal: null })
await ended.promise
await subscription.close()
await runtime.close()
