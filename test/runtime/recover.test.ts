// `recover` drives every orphan to its end or rest before it resolves, whoever of this process claimed it.

import { expect, test } from 'vitest'
import { createRuntime, memory, scripted } from '../../index.ts'
import { memoryDatabase } from '../../store/memory.ts'

const model = scripted([{ stop: 'end', content: [{ text: 'Done.' }] }])

test('every turn that nobody drove has ended when it resolves', async () => {
  const database = memoryDatabase()
  const web = await createRuntime({ store: memory(database), model, drive: false })
  const turns = await Promise.all(Array.from({ length: 20 }, () => web.spawn({ input: 'Go.', principal: null })))
  const worker = await createRuntime({ store: memory(database), model, concurrency: 3 })
  const { driven } = await worker.recover()
  expect((await web.list({ state: 'completed' })).turns).toHaveLength(20)
  // Some may have been claimed and done before it was asked.
  expect(turns.map(turn => turn.id)).toEqual(expect.arrayContaining([...driven]))
  await worker.close()
  await web.close()
})
