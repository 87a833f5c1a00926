// Goal: a retry is new execution, with all of its working time before it (D7).

import { expect, test } from 'vitest'
import { tool } from '../../adapters/tool.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { retryTurn } from '../../machines/runtime/lifecycle.ts'
import { stateName } from '../../machines/state.ts'
import { openStage, type Stage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const LIMIT_MS = 60_000

test('a turn that ran out of working time has all of it again', async () => {
  let runs = 0
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    run: () => {
      runs += 1
      if (runs === 1) stage.clock.slip(LIMIT_MS)
      return 'seen'
    },
  })
  const model = scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'look', arguments: {} } }] },
    { stop: 'end', content: [{ text: 'Seen.' }] },
  ])
  const stage: Stage = await openStage({ model, tools: [look], limits: { turnTimeoutMs: LIMIT_MS } }, { input: 'Look.', principal: ANA })
  await stage.drive()
  expect((await stage.state()).end?.limit).toBe('turnTimeoutMs')

  await retryTurn(stage.ports, stage.turnId, { as: ANA })
  expect((await stage.state()).worked).toBe(0)
  await stage.drive()
  expect(stateName(await stage.state())).toBe('completed')
})
