// Goal: what a runtime really wrote is what replay, verify, export and fork read: on streams of the loop, not of our own hand.

import { afterEach, describe, expect, test } from 'vitest'
import { createRuntime, type HostOptions } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'
import type { Runtime, TurnHandle, TurnResult } from '../../machines/runtime/api.ts'
import { verifyExport } from '../../machines/verify-export.ts'
import { memory } from '../../store/memory-source.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'

const ana = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' as const }
const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false } as const

type Ran = { readonly name: string; readonly invocationId: string }

/** A runtime whose model reads and then pays, and what its tools did. */
async function start(over: Partial<HostOptions> = {}) {
  const ran: Ran[] = []
  const database = memoryDatabase()
  const doing = (name: string, replayPolicy: 'read-only' | 'idempotent' | 'at-most-once') =>
    tool({
      name,
      input,
      replayPolicy,
      description: `The tool ${name}.`,
      run: ({ id }, call) => {
        ran.push({ name, invocationId: call.invocationId })
        return { structuredContent: { id } }
      },
    })
  const call = (id: string, name: string) => ({ call: { id, name, arguments: { id: '42' } } })
  const model = scripted([
    { stop: 'tool_calls', content: [call('a', 'find')] },
    { stop: 'tool_calls', content: [{ text: 'Now I pay.' }, call('b', 'pay'), call('c', 'label')] },
    { stop: 'end', content: [{ text: 'Done.' }] },
  ])
  const tools = [doing('find', 'read-only'), doing('pay', 'at-most-once'), doing('label', 'idempotent')]
  const runtime = await createRuntime({ store: memory(database), model, tools, ...over })
  runtimes.push(runtime)
  return { runtime, ran, store: openMemory(database) }
}

const runtimes: Runtime[] = []

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close()
})

/** Approves what is held until the turn ends. */
async function approveAll(runtime: Runtime, turn: TurnHandle): Promise<TurnResult> {
  for (;;) {
    const result = await turn.result()
    const held = result.calls.filter(call => call.state === 'held')
    if (held.length === 0) return result
    for (const { approvalId } of held) await runtime.approve(approvalId ?? '', { as: ana, via: 'app' })
  }
}

async function versionOf(turn: TurnHandle, type: string, nth = 1): Promise<number> {
  let seen = 0
  for await (const event of turn.events()) {
    if (event.type === type) seen += 1
    if (seen === nth) return event.version
  }
  throw new Error(`the turn has no ${type}`)
}

describe('a turn that was driven to its end', () => {
  test('replays to it, verifies, and exports to a file that verifies; nothing runs again', async () => {
    const { runtime, ran } = await start()
    const turn = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    expect((await approveAll(runtime, turn)).state).toBe('completed')
    expect(ran.map(each => each.name)).toEqual(['find', 'pay', 'label'])

    expect(await runtime.replay(turn.id)).toMatchObject({ state: 'completed', same: true, executions: 0, modelCalls: 0 })
    expect(await runtime.verify()).toMatchObject({ ok: true, turns: 1, findings: [] })
    expect(await verifyExport(runtime.export({ turnId: turn.id }))).toMatchObject({ ok: true, turns: 1, findings: [] })
    expect(ran).toHaveLength(3)
  })

  test('whose record is gone is missed by replay, verify and the verified export alike', async () => {
    const { runtime, store, ran } = await start()
    const turn = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    await approveAll(runtime, turn)
    const version = await versionOf(turn, 'call.recorded')
    await store.damage(turn.id, version)
    expect(await runtime.replay(turn.id)).toMatchObject({ code: 'replay_source_missing', missing: { version, ordinal: 1 } })
    const { findings } = await runtime.verify(turn.id)
    expect(findings).toContainEqual({ turnId: turn.id, version: version + 1, problem: `version ${version} is missing` })
    expect(await verifyExport(runtime.export({ turnId: turn.id }))).toMatchObject({ ok: false, findings: [{ version: version + 1 }] })
    expect(ran).toHaveLength(3)
  })

  test('has at each round the messages that its record was digested over', async () => {
    const { runtime } = await start()
    const turn = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    await approveAll(runtime, turn)
    const first = (await runtime.messages(turn.id, { round: 1 })) as unknown[]
    const second = (await runtime.messages(turn.id, { round: 2 })) as unknown[]
    expect([first.length, second.length]).toEqual([1, 3])
    expect(second.slice(0, 1)).toEqual(first)
  })
})

describe('a fork that is driven', () => {
  test('asks for its own consent, runs under its own ids, and leaves the source as it was', async () => {
    const { runtime, ran } = await start()
    const source = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    const before = await source.result()
    expect(before.state).toBe('holding')

    const fork = await runtime.fork(source.id, { at: before.version })
    const held = await fork.result()
    expect(held.calls.map(call => [call.tool, call.state])).toEqual([
      ['find', 'executed'],
      ['pay', 'held'],
      ['label', 'admitted'],
    ])
    expect(held.calls[1]?.approvalId).toBe(`${fork.id}.2.1`)
    expect(ran.map(each => each.name)).toEqual(['find'])

    expect((await approveAll(runtime, fork)).state).toBe('completed')
    expect(await source.result()).toEqual(before)
    expect((await approveAll(runtime, source)).state).toBe('completed')
    expect(ran.map(each => each.name)).toEqual(['find', 'pay', 'label', 'pay', 'label'])
    expect(new Set(ran.map(each => each.invocationId)).size).toBe(5)

    for (const { id } of [source, fork]) expect(await runtime.replay(id)).toMatchObject({ state: 'completed', same: true })
    expect(await runtime.verify()).toMatchObject({ ok: true, turns: 2, findings: [] })
  })

  test('is not served a consent that was given to its source', async () => {
    const { runtime, ran } = await start()
    const source = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    await approveAll(runtime, source)
    const at = await versionOf(source, 'approval.granted')
    const fork = await runtime.fork(source.id, { at })
    expect(await fork.result()).toMatchObject({ state: 'holding' })
    expect(ran.map(each => each.name)).toEqual(['find', 'pay', 'label'])
  })

  test('from its first version runs all of it anew', async () => {
    const { runtime, ran } = await start()
    const source = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    await approveAll(runtime, source)
    await approveAll(runtime, await runtime.fork(source.id, { at: 1 }))
    expect(ran.map(each => each.name)).toEqual(['find', 'pay', 'label', 'find', 'pay', 'label'])
  })

  test('is refused where the payment is in doubt', async () => {
    const { runtime } = await start()
    const source = await runtime.spawn({ input: 'Pay for order 42.', principal: ana })
    await approveAll(runtime, source)
    const at = await versionOf(source, 'call.dispatched', 2)
    await expect(runtime.fork(source.id, { at })).rejects.toMatchObject({ code: 'fork_refused', details: { state: 'working' } })
  })

  test('whose secret was sealed is given it whole, after its own consent', async () => {
    const seen: unknown[] = []
    const login = tool({
      name: 'pay',
      replayPolicy: 'at-most-once',
      description: 'Pays.',
      input: { type: 'object', properties: { id: { type: 'string' }, card: { type: 'string', writeOnly: true } }, required: ['card'] },
      run: args => {
        seen.push(args)
        return 'paid'
      },
    })
    const model = scripted([
      { stop: 'tool_calls', content: [{ call: { id: 'a', name: 'pay', arguments: { id: '42', card: '4111-1111' } } }] },
      { stop: 'end', content: [{ text: 'Done.' }] },
    ])
    const { runtime } = await start({ model, tools: [login], key: new Uint8Array(32).fill(3) })
    const source = await runtime.spawn({ input: [{ role: 'user', text: 'Pay.', contentTrust: 'untrusted' }], principal: ana })
    const { state, version } = await source.result()
    expect(state).toBe('holding')
    const fork = await runtime.fork(source.id, { at: version })
    expect((await approveAll(runtime, fork)).state).toBe('completed')
    expect(seen).toEqual([{ id: '42', card: '4111-1111' }])
  })
})
