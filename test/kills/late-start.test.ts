// Goal: an intent whose commit was long in being told is not acted on: by then its tool would start too late after it (D2).

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import type { ReplayPolicy } from '../../machines/tool.ts'
import { memory } from '../../store/memory-source.ts'
import type { StoreSource } from '../../store/source.ts'
import { ANA, callOnce } from './generations.ts'

const START_WITHIN_MS = 1_000

/** A store that tells of the first intent only when it is too late to act on it. */
function slowToTell(): StoreSource {
  const source = memory()
  return {
    kind: source.kind,
    open: async log => {
      const store = await source.open(log)
      let waits = START_WITHIN_MS + 100
      return {
        ...store,
        append: async append => {
          const answer = await store.append(append)
          if (append.events.some(event => event.type === 'call.dispatched')) {
            await sleep(waits)
            waits = 0
          }
          return answer
        },
      }
    },
  }
}

async function callLate(replayPolicy: ReplayPolicy) {
  const started: number[] = []
  const run = (_args: unknown, call: { readonly dispatch: number }) => {
    started.push(call.dispatch)
    return 'done'
  }
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, replayPolicy, approval: 'never', run })
  const runtime = await createRuntime({ store: slowToTell(), model: scripted(callOnce('act')), tools: [act] })
  const turn = await runtime.spawn({ input: 'Act.', principal: ANA, limits: { startWithinMs: START_WITHIN_MS } })
  const { state, code } = await turn.result()
  await runtime.close()
  return { state, code, started }
}

it.concurrent.each(['read-only', 'idempotent'] as const)('%s: it is dispatched again, and starts then', async policy => {
  expect(await callLate(policy)).toEqual({ state: 'completed', code: null, started: [2] })
})

it.concurrent('at-most-once: it never starts, and the turn fails in doubt', async () => {
  expect(await callLate('at-most-once')).toEqual({ state: 'failed', code: 'tool_outcome_unknown', started: [] })
})
