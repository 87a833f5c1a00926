// What a caller asks of a new turn is checked before anything is done: no turn is opened for a wish that cannot be met.

import { expect, test } from 'vitest'
import { createRuntime } from '../../index.ts'
import { ANA, circle, MODEL, wrong } from './given.ts'

const refused: readonly (readonly [string, object])[] = [
  ['a misspelled list of tools', { toolz: [] }],
  ['a misspelled principal', { principle: ANA }],
  ['no principal', { principal: undefined }],
  ['a principal with a long id', { principal: { ...ANA, id: 'a'.repeat(513) } }],
  ['a principal with a null character', { principal: { ...ANA, id: 'a\0' } }],
  ['a principal with misspelled scopes', { principal: { ...ANA, scope: [] } }],
  ['scopes as a text', { principal: { ...ANA, scopes: 'mail' } }],
  ['no input', { input: undefined }],
  ['an empty list as the input', { input: [] }],
  ['null in the input', { input: [null] }],
  ['an input without a text', { input: [{ role: 'user' }] }],
  ['a misspelled mark of trust', { input: [{ role: 'user', text: 'x', trust: 'untrusted' }] }],
  ['too much input', { input: 'a'.repeat(1_000_001) }],
  ['too much input in all', { input: Array.from({ length: 3 }, () => ({ role: 'user', text: 'a'.repeat(400_000) })) }],
  ['tools as a text', { tools: 'write' }],
  ['tools that are no names', { tools: [5] }],
  ['no output', { output: null }],
  ['an output without a schema', { output: {} }],
  ['a list as the schema', { output: { schema: [] } }],
  ['a schema in a circle', { output: { schema: circle() } }],
  ['a schema that cannot be used', { output: { schema: { type: 'strin' } } }],
  ['approvers as a text', { approvers: 'ana' }],
  ['null among the approvers', { approvers: [null] }],
  ['an approver of no known kind', { approvers: [{ id: 'bob', kind: 'robot' }] }],
  ['an approver with an empty issuer', { approvers: [{ id: 'bob', issuer: '' }] }],
  ['labels as a list', { labels: ['a'] }],
  ['labels as a date', { labels: new Date(0) }],
  ['labels that are no texts', { labels: { a: 5 } }],
  ['a signal', { signal: {} }],
  ['limits', { limits: 5 }],
  ['the key', { key: '' }],
  ['the turn that is followed', { follows: 5 }],
  ['the tenant', { tenant: 5 }],
]

test.each(refused)('a turn is refused for %s', async (_, over) => {
  const runtime = await createRuntime({ model: MODEL })
  await expect(runtime.spawn(wrong({ input: 'Hello.', principal: ANA, ...over }))).rejects.toMatchObject({ code: 'option_invalid' })
  expect((await runtime.list()).turns).toEqual([])
  await runtime.close()
})

test.each([[undefined], [null], ['Hello.']])('a turn made of %j is refused', async given => {
  const runtime = await createRuntime({ model: MODEL })
  await expect(runtime.spawn(wrong(given))).rejects.toMatchObject({ code: 'option_invalid' })
  await runtime.close()
})
