// Goal: a `reconcile` that gives no answer, in whatever way, leaves the call in doubt, and the turn goes on by the recovery table.

import { expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import type { ReplayPolicy, Tool } from '../../machines/tool.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { memory } from '../../store/memory-source.ts'
import type { StoreSource } from '../../store/source.ts'
import { ANA } from './generations.ts'

const SCRIPT = scripted([
  { stop: 'tool_calls', content: [{ call: { id: 'c1', name: 'pay' } }] },
  { stop: 'end', content: [{ text: 'Done.' }] },
])

const ANSWERS: readonly (readonly [how: string, reconcile: NonNullable<Tool['reconcile']>])[] = [
  [
    'throws at once',
    () => {
      throw new Error('the ledger is locked')
    },
  ],
  ['rejects', () => Promise.reject(new Error('the ledger is locked'))],
  ['never answers', () => new Promise(() => undefined)],
  ['answers with nothing', () => undefined as never],
  ['answers with a word that nobody knows', () => 'perhaps' as never],
]

type PayOptions = Pick<Tool, 'run' | 'reconcile'> & { readonly replayPolicy: ReplayPolicy; readonly timeoutMs?: number }

function payer(store: StoreSource, { timeoutMs = 100, ...pay }: PayOptions): Promise<Runtime> {
  const options = { name: 'pay', description: 'Pays.', input: { type: 'object' }, approval: 'never', timeoutMs } as const
  return createRuntime({ store, model: SCRIPT, tools: [tool({ ...options, ...pay })] })
}

/** A tool, or its `reconcile`, that never answers, and when it was asked. */
function silence() {
  const asked = Promise.withResolvers<void>()
  const answer = () => {
    asked.resolve()
    return new Promise<never>(() => undefined)
  }
  return { asked: asked.promise, answer }
}

/** A turn whose worker let go of it in the middle of its call. */
async function leftInDoubt(store: StoreSource, replayPolicy: ReplayPolicy): Promise<string> {
  const run = silence()
  const first = await payer(store, { replayPolicy, run: run.answer })
  const { id } = await first.spawn({ input: 'Pay.', principal: ANA })
  await run.asked
  await first.close({ graceMs: 0 })
  return id
}

async function takeOver(replayPolicy: ReplayPolicy, reconcile: NonNullable<Tool['reconcile']>) {
  const store = memory(memoryDatabase())
  const id = await leftInDoubt(store, replayPolicy)
  const second = await payer(store, { replayPolicy, run: () => 'paid', reconcile })
  try {
    const { state, code, calls } = await (await second.get(id)).result()
    return { state, code, dispatches: calls[0]?.dispatches }
  } finally {
    await second.close()
  }
}

it.each(ANSWERS)('%s: a call that may not run again fails its turn', async (_how, reconcile) => {
  expect(await takeOver('at-most-once', reconcile)).toEqual({ state: 'failed', code: 'tool_outcome_unknown', dispatches: 1 })
})

it.each(ANSWERS)('%s: a call that may run again does', async (_how, reconcile) => {
  expect(await takeOver('idempotent', reconcile)).toEqual({ state: 'completed', code: null, dispatches: 2 })
})

it('is not waited for by a worker that has to let go, and is asked again by the next one', async () => {
  const store = memory(memoryDatabase())
  const id = await leftInDoubt(store, 'at-most-once')
  const reconcile = silence()
  const second = await payer(store, { replayPolicy: 'at-most-once', timeoutMs: 3_600_000, run: () => 'paid', reconcile: reconcile.answer })
  await reconcile.asked
  await second.close({ graceMs: 0 })
  const third = await payer(store, { replayPolicy: 'at-most-once', run: () => 'paid', reconcile: () => ({ happened: 'paid' }) })
  expect(await (await third.get(id)).result()).toMatchObject({ state: 'completed', calls: [{ state: 'executed', dispatches: 1 }] })
  await third.close()
})
