// Goal: a result tells of a turn that has ended or waits for a person, never of one that is on its way.

import { expect, test } from 'vitest'
import { tool } from '../../adapters/tool.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { cancelTurn } from '../../machines/runtime/lifecycle.ts'
import { createRuntimeOver } from '../../machines/runtime/runtime.ts'
import type { Store } from '../../machines/ports/store.ts'
import { openStage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

test('a turn that is cancelled while its result is read is waited for until it has ended', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    replayPolicy: 'at-most-once',
    approval: 'always',
    run: () => 'paid',
  })
  const model = scripted([{ stop: 'tool_calls', content: [{ call: { name: 'pay', arguments: {} } }] }])
  const stage = await openStage({ model, tools: [pay] }, { input: 'Pay.', principal: ANA })
  await stage.drive()

  const { ports, turnId } = stage
  const cancelled = Promise.withResolvers<void>()
  let looked = 0
  const store: Store = {
    ...ports.store,
    turn: async id => {
      const row = await ports.store.turn(id)
      looked += 1
      if (looked === 2) await cancelTurn(ports, turnId, { as: ANA }).then(() => cancelled.resolve())
      return row
    },
  }
  const runtime = await createRuntimeOver(
    { ...ports, store },
    {
      runtime: 'reader',
      system: undefined,
      ask: null,
      limits: undefined,
      providerTools: [],
      drive: false,
      concurrency: 1,
      serves: [],
      subscribe: () => Promise.reject(new Error('nobody subscribes')),
      onProgress: () => undefined,
      onReplayed: () => undefined,
      configured: () => ({}),
      release: async () => undefined,
    },
  )
  const handle = await runtime.get(turnId)
  const [result] = await Promise.all([handle.result(), cancelled.promise.then(stage.drive)])
  expect(result.state).toBe('cancelled')
})
