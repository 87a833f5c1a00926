// Goal: a tool that wants to know something waits with its call for the person, and what runs beside it comes to its end first.

import { expect, test } from 'vitest'
import { createRuntime, scripted, tool, type CallContext, type Event } from '../../index.ts'
import { inquire } from '../../machines/inquiry.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const FORMS = { which: { message: 'Which one?', schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } }

const reads = (name: string, run: (call: CallContext) => unknown) =>
  tool({ name, description: 'Reads.', input: { type: 'object' }, replayPolicy: 'read-only', run: (_, call) => run(call) })

const calls = (...names: readonly string[]) => ({
  stop: 'tool_calls',
  content: names.map(name => ({ call: { id: name, name, arguments: {} } })),
})
const end = { stop: 'end', content: [{ text: 'Done.' }] }

test('the hold of one read comes behind the result of the read beside it', async () => {
  const inquired = Promise.withResolvers<void>()
  const asking = reads('ask', ({ inquired: told }) => {
    if (told !== undefined) return told
    inquired.resolve()
    return inquire({ forms: FORMS, state: 'here' })
  })
  const other = reads('other', () => inquired.promise.then(() => 'read'))
  const runtime = await createRuntime({ tools: [asking, other], model: scripted([calls('ask', 'other'), end]) })
  const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
  const types: string[] = []
  const told: Event[] = []
  for await (const event of turn.events()) {
    types.push(event.type.startsWith('call.') ? `${event.type} ${String((event.data as { ordinal: number }).ordinal)}` : event.type)
    told.push(event)
    if (event.type === 'call.held') {
      await runtime.approve(event.data.approvalId, { as: ANA, via: 'app', answers: { which: { name: 'blue' } } })
    }
  }
  expect(types.slice(types.indexOf('call.dispatched 1'))).toEqual([
    'call.dispatched 1',
    'call.dispatched 2',
    'call.inquired 1',
    'call.recorded 2',
    'call.held 1',
    'approval.granted',
    'call.admitted 1',
    'call.dispatched 1',
    'call.recorded 1',
    'round.recorded',
    'turn.completed',
  ])
  const recorded = told.find(event => event.type === 'call.recorded' && event.data.ordinal === 1)
  expect(recorded?.data).toMatchObject({ result: { structuredContent: { answers: { which: { name: 'blue' } }, state: 'here' } } })
  await runtime.close()
})

test.each([
  ['no forms', { forms: {}, state: null }],
  ['a form without a message', { forms: { which: { schema: {} } }, state: null }],
  ['a schema that cannot be used', { forms: { which: { message: 'Which?', schema: { $ref: 'https://example.com/' } } }, state: null }],
  ['more than is recorded', { forms: FORMS, state: 'x'.repeat(70_000) }],
])('an inquiry with %s is an error result, and nobody is asked', async (_, inquiry) => {
  const asking = reads('ask', () => inquire(inquiry as never))
  const runtime = await createRuntime({ tools: [asking], model: scripted([calls('ask'), end]) })
  const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
  const { state, calls: made } = await turn.result()
  expect({ state, outcome: made[0]?.outcome, dispatches: made[0]?.dispatches }).toEqual({
    state: 'completed',
    outcome: 'executed',
    dispatches: 1,
  })
  for await (const event of turn.events()) if (event.type === 'call.recorded') expect(event.data.result.isError).toBe(true)
  await runtime.close()
})
