// Goal: a turn has the tools that it was offered when it opened, and no others; what changed meanwhile does not run (C7, D3, D7, G2).

import { describe, expect, it } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import type { Runtime, SpawnOptions } from '../../machines/runtime/api.ts'
import type { Tool } from '../../machines/tool.ts'
import { memory } from '../../store/memory-source.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { UNSERVED_MS } from '../../store/patience.ts'
import type { StoreSource } from '../../store/source.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const script = [
  { stop: 'tool_calls', content: [{ call: { id: 'c1', name: 'pay', arguments: { invoice: '7' } } }] },
  { stop: 'end', content: [{ text: 'Done.' }] },
]

/** A tool that a person has to agree to. Its runs are written down. */
function pay(runs: unknown[], description = 'Pays an invoice.'): Tool {
  const input = { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] }
  return tool({ name: 'pay', description, input, replayPolicy: 'at-most-once', approval: 'always', run: args => void runs.push(args) })
}

const other = tool({
  name: 'other',
  description: 'Does something else.',
  input: { type: 'object' },
  replayPolicy: 'read-only',
  run: () => 'ok',
})

async function spawnAndRest(runtime: Runtime, options: Partial<SpawnOptions> = {}) {
  const turn = await runtime.spawn({ input: 'Pay invoice 7.', principal: ANA, ...options })
  await turn.result()
  return turn
}

async function eventsOf(runtime: Runtime, turnId: string) {
  const events = []
  for await (const event of (await runtime.get(turnId)).events()) events.push(event)
  return events
}

describe('a call that waits', () => {
  it('is refused after a grant when its tool has become another one', async () => {
    const store = memory(memoryDatabase())
    const runs: unknown[] = []
    const before = await createRuntime({ store, model: scripted(script), tools: [pay(runs)] })
    const { id } = await spawnAndRest(before)
    const [held] = (await before.approvals({})).approvals
    await before.close()

    const after = await createRuntime({ store, model: scripted(script), tools: [pay(runs, 'Pays an invoice, twice.')] })
    await after.approve(held?.approvalId ?? '', { as: ANA, via: 'app' })
    const result = await (await after.get(id)).result()
    const refused = (await eventsOf(after, id)).find(event => event.type === 'call.refused')
    await after.close()
    expect(refused?.data).toMatchObject({ gate: 'authorization', reason: 'schema-changed' })
    expect(result.state).toBe('completed')
    expect(runs).toEqual([])
  })
})

describe('a call whose tool no worker has any more', () => {
  it('waits for one that has it, and is refused after a grant when none comes', async () => {
    let away = 0
    const store = memory(memoryDatabase({ epochMs: () => Date.now() + away }))
    const runs: unknown[] = []
    const before = await createRuntime({ store, model: scripted(script), tools: [pay(runs), other] })
    const { id } = await spawnAndRest(before)
    const [held] = (await before.approvals({})).approvals
    await before.close()

    const soon = await createRuntime({ store, model: scripted(script), tools: [other] })
    await soon.approve(held?.approvalId ?? '', { as: ANA, via: 'app' })
    await soon.recover()
    const waiting = await soon.show(id)
    await soon.close()

    away = UNSERVED_MS
    const later = await createRuntime({ store, model: scripted(script), tools: [other] })
    const result = await (await later.get(id)).result()
    const refused = (await eventsOf(later, id)).find(event => event.type === 'call.refused')
    await later.close()
    expect(waiting).toMatchObject({ state: 'working', row: { owner: null } })
    expect(refused?.data).toMatchObject({ tool: 'pay', gate: 'authorization', reason: 'revoked' })
    expect(result.state).toBe('completed')
    expect(runs).toEqual([])
  })
})

describe('a tool that is registered', () => {
  it('and not offered to the turn is told from one that is nowhere', async () => {
    const runs: unknown[] = []
    const runtime = await createRuntime({ model: scripted(script), tools: [pay(runs), other] })
    const { id } = await spawnAndRest(runtime, { tools: ['other'] })
    const invalid = (await eventsOf(runtime, id)).find(event => event.type === 'call.invalid')
    await runtime.close()
    expect(invalid?.data).toMatchObject({ gate: 'name', reason: 'not-offered' })
    expect(runs).toEqual([])
  })

  it('twice under one name keeps a runtime from starting', async () => {
    await expect(createRuntime({ tools: [other, other], drive: false })).rejects.toMatchObject({ code: 'tool_name_duplicate' })
  })

  it('says whether it may run again, or is none', () => {
    const options = { name: 'pay', description: 'Pays.', input: { type: 'object' }, run: () => 'ok' }
    expect(() => tool(options as unknown as Parameters<typeof tool>[0])).toThrow(expect.objectContaining({ code: 'replay_policy_missing' }))
  })
})

describe('a retry over a doubt', () => {
  it('is refused until it is said that the effect may happen again', async () => {
    const runs: unknown[] = []
    const act = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      replayPolicy: 'at-most-once',
      approval: 'never',
      run: args => runs.push(args),
    })
    const runtime = await createRuntime({ store: lateToTell(), model: scripted(script), tools: [act] })
    const turn = await spawnAndRest(runtime, { limits: { startWithinMs: 0 } })
    await expect(turn.result()).resolves.toMatchObject({ code: 'tool_outcome_unknown' })
    await expect(runtime.retry(turn.id, { as: ANA })).rejects.toMatchObject({ code: 'turn_not_retryable' })
    await runtime.close()
    expect(runs).toEqual([])
  })
})

/** A store whose answer to an intent comes a moment too late to act on it. */
function lateToTell(): StoreSource {
  return {
    kind: 'memory',
    open: async log => {
      const store = await memory().open(log)
      return {
        ...store,
        append: async append => {
          const answer = await store.append(append)
          if (append.events.some(event => event.type === 'call.dispatched')) await new Promise(resolve => setTimeout(resolve, 5))
          return answer
        },
      }
    },
  }
}
