// Goal: whoever waits for a result may give up, also while the turn is driven in the same process.

import { expect, test } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'

test('a result that is waited for while a tool runs here is given up at the signal, and the turn goes on', async () => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<string>()
  const slow = tool({
    name: 'slow',
    description: 'Slow.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    run: () => {
      started.resolve()
      return finish.promise
    },
  })
  const model = scripted([
    { stop: 'tool_calls', content: [{ call: { name: 'slow', arguments: {} } }] },
    { stop: 'end', content: [] },
  ])
  const runtime = await createRuntime({ model, tools: [slow] })
  const turn = await runtime.spawn({ input: 'Go.', principal: null })
  await started.promise
  const stop = new AbortController()
  const given = turn.result({ signal: stop.signal })
  stop.abort(new Error('given up'))
  await expect(given).rejects.toThrow('given up')
  finish.resolve('done')
  expect(await turn.result()).toMatchObject({ state: 'completed' })
  await runtime.close()
})
