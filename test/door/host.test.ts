// What a host configures is checked before anything is opened.

import { expect, test } from 'vitest'
import { createRuntime } from '../../index.ts'
import { ANA, MODEL, wrong } from './given.ts'

const refused: readonly (readonly [string, object])[] = [
  ['a name that is no option', { polcy: () => 'deny' }],
  ['system', { system: 5 }],
  ['ask', { ask: 5 }],
  ['a policy that is no function', { policy: 'deny' }],
  ['limits', { limits: 5 }],
  ['a limit that is none', { limits: { round: 5 } }],
  ['tools', { tools: 'all' }],
  ['provider tools', { providerTools: [{ name: 'search', replayPolicy: 'readonly' }] }],
  ['a row of provider tools with more in it', { providerTools: [{ name: 'search', replayPolicy: 'read-only', approval: 'always' }] }],
  ['null among the provider tools', { providerTools: [null] }],
  ['values to redact as a text', { redact: { values: 'secret' } }],
  ['values to redact that are none', { redact: { values: [5] } }],
  ['a misspelled part of redact', { redact: { value: ['secret'] } }],
  ['a log without its functions', { log: { info: () => undefined } }],
  ['a store', { store: 'memory' }],
  ['a bus', { bus: {} }],
  ['the key', { key: 5 }],
  ['blobs', { blobs: {} }],
  ['drive', { drive: 'false' }],
  ['a model without a question', { model: { name: 'm', capabilities: { toolCalls: 'native', enforcedOutput: true } } }],
]

test.each(refused)('a runtime is refused for %s', async (_, over) => {
  await expect(createRuntime(wrong({ model: MODEL, ...over }))).rejects.toMatchObject({ code: 'option_invalid' })
})

test.each([[undefined], [null], [[]]])('a runtime made of %j is refused', async given => {
  await expect(createRuntime(wrong(given))).rejects.toMatchObject({ code: 'option_invalid' })
})

test('a log that throws or rejects disturbs no turn', async () => {
  const fails = () => {
    throw new Error('the disk is full')
  }
  const log = { info: fails, warn: () => wrong<void>(Promise.reject(new Error('the disk is full'))), error: fails }
  const policy = () => {
    throw new Error('no policy')
  }
  const runtime = await createRuntime({ model: MODEL, log, policy })
  const turn = await runtime.spawn({ input: 'Say it.', principal: ANA })
  expect((await turn.result()).state).toBe('completed')
  await runtime.close()
})
