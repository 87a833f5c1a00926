// Goal: a lane works on so many at a time and no more, takes the others in their order, and goes on when one fails.

import { expect, it } from 'vitest'
import { lane } from '../../adapters/scenario/lane.ts'

it('a lane of two has two at work, and takes the next when one is done, whatever became of it', async () => {
  const narrow = lane(2)
  const begun: number[] = []
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const works = gates.map(({ promise }, index) =>
    narrow(() => {
      begun.push(index)
      return promise
    }),
  )
  const settled = Promise.allSettled(works)
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  gates[1]?.reject(new Error('failed'))
  await works[1]?.catch(() => undefined)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const [index, { resolve }] of gates.entries()) resolve(index)
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect(begun).toEqual([0, 1, 2, 3, 4])
})
