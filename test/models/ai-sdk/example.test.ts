// Goal: the README's section on the AI SDK shows a file that is kept, and the file runs to the end of a turn.

import { expect, test } from 'vitest'
import { exampleBody, runExample, sectionBlocks } from '../../docs/examples.ts'
import { responsesDriver } from '../openai/responses-driver.ts'
import { openWire } from '../wire.ts'

test('the section shows the example, and how it is run', () => {
  expect(sectionBlocks('Any AI SDK provider', 'ts')[0]).toBe(exampleBody('ai-sdk.ts'))
  expect(sectionBlocks('Any AI SDK provider', 'sh')[0]).toContain('node ai-sdk.ts')
})

test('the example reads, is held, is approved, and ends', async () => {
  await using wire = await openWire()
  const call = (name: string) => responsesDriver.streamed({ calls: [{ id: name, name, arguments: '{"id":"42"}' }], stop: 'calls' })
  wire.answer(call('find_order'), call('refund'), responsesDriver.streamed({ text: 'Order 42 is refunded.', stop: 'end' }))
  const { stdout, stderr } = await runExample('ai-sdk.ts', { OPENAI_API_KEY: 'key-of-nobody', OPENAI_BASE_URL: wire.url })
  expect(stderr).toBe('')
  expect(stdout).toBe('call 1 is done\ncall 2 is done\ncompleted: Order 42 is refunded.\n')
  expect(wire.asked.map(({ path }) => path)).toEqual(['/responses', '/responses', '/responses'])
})
