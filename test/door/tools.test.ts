// A tool is checked when it is written: a misspelled word is refused there, and is not a tool that runs without asking.

import { expect, test } from 'vitest'
import { createRuntime, tool, type Tool } from '../../index.ts'
import { circle, MODEL, TOOL, wrong } from './given.ts'

const refused: readonly (readonly [string, object])[] = [
  ['approval in capitals', { approval: 'Always' }],
  ['approval misspelled', { approval: 'allways' }],
  ['approval null', { approval: null }],
  ['a name that is no option', { aproval: 'always' }],
  ['content trust', { contentTrust: 'Trusted' }],
  ['scopes as a text', { scopes: 'mail:send' }],
  ['an empty scope', { scopes: [''] }],
  ['record bytes', { recordBytes: -1 }],
  ['record bytes as a text', { recordBytes: '1' }],
  ['a timeout that no timer waits for', { timeoutMs: 2 ** 40 }],
  ['a timeout of nothing', { timeoutMs: 0 }],
  ['tries', { tries: 1.5 }],
  ['reconcile', { reconcile: 'unknown' }],
  ['run', { run: 'ok' }],
  ['description', { description: 5 }],
  ['a list as the input', { input: [] }],
  ['a function as the input', { input: () => true }],
  ['an input in a circle', { input: circle() }],
  ['an output with a bigint', { output: { const: 1n } }],
  ['the replay policy', { replayPolicy: 'readonly' }],
  ['the name', { name: '' }],
]

test.each(refused)('a tool is refused for %s', (_, over) => {
  expect(() => tool(wrong<typeof TOOL>({ ...TOOL, ...over }))).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})

test.each([[undefined], [null], [5], [[]]])('a tool made of %j is refused', given => {
  expect(() => tool(wrong<typeof TOOL>(given))).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})

const made = tool(TOOL)
const unfit: readonly (readonly [string, unknown])[] = [
  ['an approval word that is none', { ...made, descriptor: { ...made.descriptor, approval: 'allways' } }],
  ['a further member', { ...made, descriptor: { ...made.descriptor, aproval: 'always' } }],
  ['no descriptor', { name: 'write' }],
  ['no function to run', { ...made, run: null }],
  ['a rule by arguments without its function', { ...made, descriptor: { ...made.descriptor, approval: 'by-arguments' } }],
  ['nothing', null],
]

test.each(unfit)('a runtime takes no tool that was written by hand with %s', async (_, given) => {
  const opened = createRuntime({ model: MODEL, tools: [wrong<Tool>(given)] })
  await expect(opened).rejects.toMatchObject({ code: 'option_invalid' })
})
