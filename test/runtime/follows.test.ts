// A turn that follows another one: its transcript and its content trust are the first input, and no two calls share an id.

import { expect, test } from 'vitest'
import { createRuntime, scripted, tool } from '../../index.ts'
import { pairingProblems } from '../../machines/pairing.ts'
import type { Message } from '../../machines/ports/model.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

const look = tool({
  name: 'look',
  description: 'Look at a page.',
  input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'], additionalProperties: false },
  replayPolicy: 'read-only',
  run: ({ page }) => `page ${page}`,
})

const call = (page: number) => ({ stop: 'tool_calls', content: [{ call: { id: 'c', name: 'look', arguments: { page } } }] })
const end = { stop: 'end', content: [{ text: 'Seen.' }] }

async function twoTurns() {
  const runtime = await createRuntime({ tools: [look], model: scripted([call(1), end]) })
  const first = await runtime.spawn({ input: 'Look at page 1.', principal: ANA })
  await first.result()
  const second = await runtime.spawn({ input: 'And again.', principal: ANA, follows: first.id })
  await second.result()
  return { runtime, first, second }
}

test('the calls of both turns are paired under ids of their own', async () => {
  const { runtime, second } = await twoTurns()
  const messages = (await runtime.messages(second.id)) as unknown as readonly Message[]
  expect(pairingProblems(messages)).toEqual([])
  const ids = messages.flatMap(message => (message.role === 'tool' ? message.results.map(result => result.id) : []))
  expect(ids).toEqual(['past_1', 'call_1'])
  await runtime.close()
})

test('a turn that follows an untrusted one is untrusted from the start', async () => {
  const { runtime, second } = await twoTurns()
  for await (const event of second.events()) if (event.type === 'turn.opened') expect(event.data.contentTrust).toBe('untrusted')
  expect.assertions(1)
  await runtime.close()
})

test('a turn that still waits cannot be followed', async () => {
  const write = tool({
    ...{ name: 'write', description: 'Write.', input: { type: 'object' } },
    replayPolicy: 'at-most-once',
    approval: 'always',
    run: () => 'ok',
  })
  const runtime = await createRuntime({
    tools: [write],
    model: scripted([{ stop: 'tool_calls', content: [{ call: { id: 'c', name: 'write', arguments: {} } }] }, end]),
  })
  const first = await runtime.spawn({ input: 'Write.', principal: ANA })
  await first.result()
  await expect(runtime.spawn({ input: 'And again.', principal: ANA, follows: first.id })).rejects.toMatchObject({ code: 'option_invalid' })
  await runtime.close()
})
