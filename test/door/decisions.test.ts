// A decision is taken word for word: what is misspelled, live or without its lane leaves the hold as it was (C4, C5, C6).

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../index.ts'
import { ANA, heldTurn, wrong } from './given.ts'

const LANE = { as: ANA, via: 'app' } as const
let held: Awaited<ReturnType<typeof heldTurn>>
beforeAll(async () => {
  held = await heldTurn()
})
afterAll(() => held.runtime.close())

/** Shows the check one value and the call another. */
function changing(): object {
  let reads = 0
  return {
    get to() {
      return (reads += 1) === 1 ? 'ana' : new Date(0)
    },
  }
}

type Send = (runtime: Runtime, approvalId: string, turnId: string) => Promise<unknown>
const refused: readonly (readonly [string, string, Send])[] = [
  ['a further word', 'decision_invalid', (runtime, id) => runtime.decide(id, { decision: 'approve', args: {} }, LANE)],
  ['a live decision', 'decision_invalid', (runtime, id) => runtime.decide(id, new Date(0), LANE)],
  ['a date among the arguments', 'decision_invalid', (runtime, id) => runtime.approve(id, { ...LANE, arguments: { at: new Date(0) } })],
  ['a date as the arguments', 'decision_invalid', (runtime, id) => runtime.approve(id, { ...LANE, arguments: new Date(0) })],
  ['a bigint among the arguments', 'decision_invalid', (runtime, id) => runtime.approve(id, { ...LANE, arguments: { n: 1n } })],
  ['null as the arguments', 'decision_invalid', (runtime, id) => runtime.approve(id, { ...LANE, arguments: null })],
  ['misspelled arguments', 'option_invalid', (runtime, id) => runtime.approve(id, wrong({ ...LANE, argument: {} }))],
  ['no lane', 'option_invalid', (runtime, id) => runtime.approve(id, wrong({ as: ANA }))],
  ['no lane to deny', 'option_invalid', (runtime, id) => runtime.deny(id, wrong({ as: ANA }))],
  ['no lane to decide', 'option_invalid', (runtime, id) => runtime.decide(id, 'approve', wrong({ as: ANA }))],
  ['no lane to answer', 'option_invalid', (runtime, _, turnId) => runtime.answer(turnId, wrong({ as: ANA, answer: 'x' }))],
  ['a lane of another name', 'option_invalid', (runtime, id) => runtime.approve(id, wrong({ as: ANA, via: 'App' }))],
  ['nobody', 'option_invalid', (runtime, id) => runtime.approve(id, wrong({ via: 'app' }))],
  ['no options', 'option_invalid', (runtime, id) => runtime.approve(id, wrong(undefined))],
  ['a number as the id', 'option_invalid', runtime => runtime.approve(wrong(5), LANE)],
  ['no id', 'option_invalid', runtime => runtime.approve(wrong(undefined), LANE)],
  ['an id of nothing', 'approval_not_found', runtime => runtime.approve('x', LANE)],
  ['a reason that is no text', 'option_invalid', (runtime, id) => runtime.deny(id, wrong({ ...LANE, reason: 5 }))],
]

test.each(refused)('%s gives %s and leaves the hold', async (_, code, send) => {
  const { runtime, approvalId, turnId } = held
  await expect(send(runtime, approvalId, turnId)).rejects.toMatchObject({ name: 'ToolturnError', code })
  expect((await runtime.approvals()).approvals.map(row => row.approvalId)).toEqual([approvalId])
})

test('edited arguments are read once', async () => {
  const { runtime, approvalId, turnId } = await heldTurn()
  await runtime.approve(approvalId, { ...LANE, arguments: changing() })
  const texts: string[] = []
  for await (const event of runtime.events(turnId)) if (event.type === 'approval.granted') texts.push(JSON.stringify(event.data.edited))
  expect(texts).toEqual([expect.stringContaining('{"to":"ana"}')])
  await runtime.close()
})
