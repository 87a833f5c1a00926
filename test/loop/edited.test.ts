// Goal: what a person edits is what runs, also where the worker that admitted the call still holds its proposal (C6, D11); and runs
// once, also where the model made the same call behind it (B8).

import { expect, test } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const CARD = { type: 'object', properties: { amount: { type: 'integer' }, card: { type: 'string', writeOnly: true } } } as const

test('secret arguments that are edited while a call before theirs runs', async () => {
  const approved = Promise.withResolvers<void>()
  const paid: unknown[] = []
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    timeoutMs: 60_000,
    run: () => approved.promise.then(() => 'seen'),
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: CARD,
    replayPolicy: 'at-most-once',
    approval: 'always',
    run: args => {
      paid.push(args)
      return 'paid'
    },
  })
  const proposed = { amount: 5, card: 'card-of-ana-1' }
  const edited = { amount: 4, card: 'card-of-ana-2' }
  const model = scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'look', arguments: {} } }, { call: { name: 'pay', arguments: proposed } }] },
    { stop: 'end', content: [{ text: 'Paid.' }] },
  ])
  const runtime = await createRuntime({ model, tools: [look, pay], key: new Uint8Array(32).fill(7) })
  try {
    const turn = await runtime.spawn({ input: 'Pay.', principal: ANA })
    for await (const event of turn.events()) {
      if (event.type !== 'call.held') continue
      await runtime.approve(event.data.approvalId, { as: ANA, via: 'app', arguments: edited })
      approved.resolve()
    }
    expect((await turn.result()).state).toBe('completed')
    expect(paid).toEqual([edited])
  } finally {
    await runtime.close()
  }
})

test('arguments that are edited into those of the call behind, which needed nobody', async () => {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'integer' } } },
    replayPolicy: 'at-most-once',
    approval: ({ amount }) => (Number(amount) > 10 ? 'always' : 'never'),
    run: args => {
      paid.push(args)
      return 'paid'
    },
  })
  const [much, little] = [{ amount: 50 }, { amount: 5 }]
  const model = scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'pay', arguments: much } }, { call: { name: 'pay', arguments: little } }] },
    { stop: 'end', content: [{ text: 'Paid.' }] },
  ])
  const runtime = await createRuntime({ model, tools: [pay] })
  try {
    const turn = await runtime.spawn({ input: 'Pay.', principal: ANA })
    await turn.result()
    const [held] = (await runtime.approvals({})).approvals
    await runtime.approve(held?.approvalId ?? '', { as: ANA, via: 'app', arguments: little })
    const seen: string[] = []
    for await (const { type } of turn.events()) seen.push(type)
    const { state, calls } = await turn.result()
    expect(seen.slice(2, 4)).toEqual(['call.held', 'call.admitted'])
    expect(paid).toEqual([little])
    expect(calls.map(call => call.outcome)).toEqual(['executed', 'suppressed-repeat'])
    expect(state).toBe('completed')
  } finally {
    await runtime.close()
  }
})
