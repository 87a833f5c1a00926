// Goal: the README's sections on OpenAI and on compatible servers show files that are kept, and these files run to the end of a turn.

import { expect, test } from 'vitest'
import { exampleBody, runExample, sectionBlocks } from '../../docs/examples.ts'
import { openWire } from '../wire.ts'
import { chatDriver } from './chat-driver.ts'
import { responsesDriver } from './responses-driver.ts'

test.each([
  ['OpenAI', 'openai.ts'],
  ['Compatible servers', 'openai-compatible.ts'],
])('the section on %s shows its example', (heading, name) => {
  expect(sectionBlocks(heading, 'ts')[0]).toBe(exampleBody(name))
  expect(sectionBlocks(heading, 'sh')[0]).toContain(`node ${name}`)
})

test('the example of OpenAI reads, is held, is approved, and ends', async () => {
  await using wire = await openWire()
  const call = (name: string) => responsesDriver.streamed({ calls: [{ id: `of_${name}`, name, arguments: '{"id":"42"}' }], stop: 'calls' })
  wire.answer(call('find_order'), call('refund'), responsesDriver.streamed({ text: 'Order 42 is refunded.', stop: 'end' }))
  const { stdout, stderr } = await runExample('openai.ts', { OPENAI_API_KEY: 'key-of-nobody', OPENAI_BASE_URL: wire.url })
  expect(stderr).toBe('')
  expect(stdout).toBe('call 1 is done\ncall 2 is done\ncompleted: Order 42 is refunded.\n')
  expect(wire.asked.map(({ path }) => path)).toEqual(['/responses', '/responses', '/responses'])
})

test('the example of a compatible server calls a tool and ends, without any key', async () => {
  await using wire = await openWire()
  wire.answer(
    chatDriver.streamed({ calls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Lisbon"}' }], stop: 'calls' }),
    chatDriver.streamed({ text: 'No: it is 21 degrees.', stop: 'end' }),
  )
  const { stdout, stderr } = await runExample('openai-compatible.ts', { MODEL_URL: wire.url })
  expect(stderr).toBe('')
  expect(stdout).toBe('completed: No: it is 21 degrees.\n')
  expect(wire.asked.map(({ path }) => path)).toEqual(['/chat/completions', '/chat/completions'])
})
