// Goal: whatever stops a call reaches the tool that runs, and leaves nothing behind on the signals that live on.

import { getEventListeners } from 'node:events'
import { expect, it, vi } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool, type ToolOptions } from '../../adapters/tool.ts'
import { approvalId } from '../../machines/ids.ts'
import type { CallContext } from '../../machines/tool.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { memory } from '../../store/memory-source.ts'
import { ANA, callOnce } from './generations.ts'

/** A runtime whose tool ends when it is told to, and not before. */
async function stage(options: Partial<ToolOptions<true>> = {}) {
  const began = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const run = (_args: unknown, { signal }: CallContext) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.resolve()
        reject(new Error('stopped'))
      })
      began.resolve()
    })
  const pay = tool({ name: 'pay', description: 'Pays.', input: true, replayPolicy: 'at-most-once', approval: 'never', run, ...options })
  const store = memory(memoryDatabase())
  const runtime = await createRuntime({ store, model: scripted(callOnce('pay')), tools: [pay] })
  const turn = await runtime.spawn({ input: 'Pay.', principal: ANA })
  return { store, runtime, turn, began: began.promise, stopped: stopped.promise }
}

type Stage = Awaited<ReturnType<typeof stage>>

async function recordOf({ turn }: Stage) {
  for await (const event of turn.events()) if (event.type === 'call.recorded') return event.data
  return null
}

const EFFECT_UNKNOWN = { result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('Its effect is unknown') }] } }

it.each(['never', 'always'] as const)('a cancel reaches a tool of approval %s; its result leaves the effect unknown', async approval => {
  const here = await stage({ approval })
  const { runtime, turn, began, stopped } = here
  if (approval === 'always') {
    expect(await turn.result()).toMatchObject({ state: 'holding' })
    await runtime.approve(approvalId(turn.id, 1, 1), { as: ANA, via: 'app' })
  }
  await began
  await runtime.cancel(turn.id, { as: ANA, via: 'app' })
  await stopped
  expect(await turn.result()).toMatchObject({ state: 'cancelled', calls: [{ state: 'executed' }] })
  expect(await recordOf(here)).toMatchObject({ ended: 'aborted', ...EFFECT_UNKNOWN })
  await runtime.close()
})

it('a timeout reaches the tool, and the turn goes on', async () => {
  const here = await stage({ timeoutMs: 50 })
  await here.stopped
  expect(await here.turn.result()).toMatchObject({ state: 'completed' })
  expect(await recordOf(here)).toMatchObject({ ended: 'timeout', ...EFFECT_UNKNOWN })
  await here.runtime.close()
})

it('a worker that has to let go tells the tool, and the call stays without a record', async () => {
  const { store, runtime, turn, began, stopped } = await stage()
  await began
  const closed = runtime.close({ graceMs: 0 })
  await stopped
  await closed
  const reader = await createRuntime({ store, drive: false })
  expect(await reader.show(turn.id)).toMatchObject({ state: 'working', calls: [{ state: 'dispatched' }] })
  await reader.close()
})

const CALLS = 1_000
const CALLS_IN_A_ROUND = 10
const ROUNDS_IN_A_TURN = 5

it('after a thousand calls no signal that lives on is listened to by more than at the beginning', async () => {
  const seen = new Set<WeakRef<AbortSignal>>()
  const add = vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (this: AbortSignal, ...given) {
    seen.add(new WeakRef(this))
    EventTarget.prototype.addEventListener.apply(this, given as Parameters<EventTarget['addEventListener']>)
  })
  const listeners = () => {
    const alive = [...seen].flatMap(reference => reference.deref() ?? []).filter(signal => !signal.aborted)
    return Math.max(0, ...[...new Set(alive)].map(signal => getEventListeners(signal, 'abort').length))
  }
  const act = tool({ name: 'act', description: 'Acts.', input: true, replayPolicy: 'idempotent', approval: 'never', run: () => 'done' })
  const round = (number: number) => ({
    stop: 'tool_calls',
    content: Array.from({ length: CALLS_IN_A_ROUND }, (_, index) => ({ call: { name: 'act', arguments: { number, index } } })),
  })
  const rounds = Array.from({ length: ROUNDS_IN_A_TURN }, (_, index) => round(index))
  const runtime = await createRuntime({ model: scripted([...rounds, { stop: 'end', content: [] }]), tools: [act] })
  const turns = CALLS / CALLS_IN_A_ROUND / ROUNDS_IN_A_TURN
  let most = 0
  for (let turn = 0; turn < turns; turn += 1) {
    expect(await (await runtime.spawn({ input: 'Act.', principal: ANA })).result()).toMatchObject({ state: 'completed' })
    if (turn === 0) most = listeners()
  }
  expect(listeners()).toBeLessThanOrEqual(most + 1)
  await runtime.close()
  add.mockRestore()
})
