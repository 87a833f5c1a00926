// Goal: a tool is tried again only while its turn goes on.

import { expect, test } from 'vitest'
import { tool } from '../../adapters/tool.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { cancelTurn } from '../../machines/runtime/lifecycle.ts'
import { stateName } from '../../machines/state.ts'
import { openStage, type Stage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

test('a turn that is cancelled between two tries starts no further one', async () => {
  let starts = 0
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    tries: 3,
    run: async () => {
      starts += 1
      if (starts === 1) await cancel()
      throw new Error('no answer')
    },
  })
  const model = scripted([{ stop: 'tool_calls', content: [{ call: { name: 'look', arguments: {} } }] }])
  const stage: Stage = await openStage({ model, tools: [look] }, { input: 'Look.', principal: ANA })
  const cancel = () => cancelTurn(stage.ports, stage.turnId, { as: ANA })
  await stage.drive()
  expect(stateName(await stage.state())).toBe('cancelled')
  expect(starts).toBe(1)
})
