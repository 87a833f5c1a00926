// Goal: the README's section on Anthropic shows a file that is kept, and the file runs to the end of a turn.

import { expect, test } from 'vitest'
import { exampleBody, runExample, sectionBlocks } from '../../docs/examples.ts'
import { openWire } from '../wire.ts'
import { driver } from './driver.ts'

test('the section shows the example, and how it is run', () => {
  expect(sectionBlocks('Anthropic', 'ts')[0]).toBe(exampleBody('anthropic.ts'))
  expect(sectionBlocks('Anthropic', 'sh')[0]).toContain('node anthropic.ts')
})

test('the example reads, is held, is approved, and ends', async () => {
  await using wire = await openWire()
  const call = (name: string, text?: string) =>
    driver.streamed({ ...(text === undefined ? {} : { text }), calls: [{ id: name, name, arguments: '{"id":"42"}' }], stop: 'calls' })
  wire.answer(call('find_order', 'I look at it.'), call('refund'), driver.streamed({ text: 'Order 42 is refunded.', stop: 'end' }))
  const { stdout, stderr } = await runExample('anthropic.ts', { ANTHROPIC_API_KEY: 'key-of-nobody', ANTHROPIC_BASE_URL: wire.url })
  expect(stderr).toBe('')
  expect(stdout.split('\n').filter(line => line !== '')).toEqual([
    'I look at it.',
    'call 1 is done',
    'call 2 is done',
    'Order 42 is refunded.',
    'completed: Order 42 is refunded.',
  ])
  expect(wire.asked.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages', '/v1/messages'])
}, 60_000)
