// Every verb gives a typed error for an id or an option that is none, and for everything once the runtime is closed.

import { expect, test } from 'vitest'
import type { Runtime } from '../../index.ts'
import { ANA, heldTurn, wrong } from './given.ts'

const LANE = { as: ANA, via: 'app' } as const
type Ask = (runtime: Runtime, turnId: string) => Promise<unknown>

async function first(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const step of stream) return step
  return undefined
}

const verbs: Readonly<Record<string, Ask>> = {
  spawn: runtime => runtime.spawn({ input: 'Hello.', principal: ANA }),
  get: (runtime, id) => runtime.get(id),
  result: (runtime, id) => runtime.result(id),
  show: (runtime, id) => runtime.show(id),
  messages: (runtime, id) => runtime.messages(id),
  list: runtime => runtime.list(),
  approvals: runtime => runtime.approvals(),
  events: (runtime, id) => first(runtime.events(id)),
  approve: (runtime, id) => runtime.approve(`${id}.1.1`, LANE),
  deny: (runtime, id) => runtime.deny(`${id}.1.1`, LANE),
  decide: (runtime, id) => runtime.decide(`${id}.1.1`, 'approve', LANE),
  answer: (runtime, id) => runtime.answer(id, { ...LANE, answer: 'x' }),
  cancel: (runtime, id) => runtime.cancel(id, LANE),
  retry: (runtime, id) => runtime.retry(id, LANE),
  settle: (runtime, id) => runtime.settle(id, 1, { ...LANE, happened: 'x' }),
  fork: (runtime, id) => runtime.fork(id, { at: 1 }),
  replay: (runtime, id) => runtime.replay(id),
  verify: runtime => runtime.verify(),
  export: (runtime, turnId) => first(runtime.export({ turnId })),
  recover: runtime => runtime.recover(),
  doctor: runtime => runtime.doctor(),
  subscribe: runtime => runtime.subscribe({ name: 'late' }, () => undefined),
}

test('after the close every verb rejects with runtime_closed', async () => {
  const { runtime, turnId } = await heldTurn()
  await runtime.close()
  const codes = await Promise.all(
    Object.values(verbs).map(ask =>
      ask(runtime, turnId).then(
        () => 'none',
        (error: unknown) => (error as { code?: unknown }).code,
      ),
    ),
  )
  expect(Object.fromEntries(Object.keys(verbs).map((verb, index) => [verb, codes[index]]))).toEqual(
    Object.fromEntries(Object.keys(verbs).map(verb => [verb, 'runtime_closed'])),
  )
  await runtime.close()
})

const BY_TURN = ['get', 'result', 'show', 'messages', 'events', 'answer', 'cancel', 'retry', 'settle', 'fork', 'replay', 'export']

test.each(BY_TURN)('%s takes no id that is no text', async verb => {
  const { runtime } = await heldTurn()
  for (const id of [5, null, {}, '']) await expect(verbs[verb]?.(runtime, wrong(id))).rejects.toMatchObject({ code: 'option_invalid' })
  await runtime.close()
})

test('a misspelled filter is refused, and does not list everything', async () => {
  const { runtime } = await heldTurn()
  for (const filter of [{ tenent: 'acme' }, { tool: 5 }, { labels: 5 }, { principal: {} }, { cursor: 5 }, null]) {
    await expect(runtime.list(wrong(filter))).rejects.toMatchObject({ code: 'option_invalid' })
  }
  await runtime.close()
})
