// Goal: a round that is an effect is asked for soon after its intent was committed, or not at all (F5, D2).

import { expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

test('a worker that stood still behind the intent of a round with effects does not ask', async () => {
  let asks = 0
  const stage: Stage = await openStage(
    {
      model: {
        name: 'counted',
        capabilities: { toolCalls: 'native', enforcedOutput: true },
        ask: async () => {
          asks += 1
          return { completion: 'clean', stop: 'end', items: [{ kind: 'text', text: 'Done.' }] }
        },
      },
      tools: [],
      providerTools: [{ name: 'send_mail', replayPolicy: 'at-most-once' }],
      limits: { startWithinMs: 1_000 },
      onAppended: ({ events }) => {
        if (events.some(event => event.type === 'round.requested')) stage.clock.slip(2_000)
      },
    },
    { input: 'Send it.', principal: ANA },
  )
  await stage.drive()
  expect(asks).toBe(0)
  expect((await stage.state()).end?.code).toBe('round_outcome_unknown')
})
