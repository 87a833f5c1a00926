// Goal: the wait for what a tool wants to know outlives the process, and the server's state is nobody else's business meanwhile.

import { describe, expect, test } from 'vitest'
import { mcp } from '../../adapters/mcp/index.ts'
import { createRuntime, memory, scripted, type HostOptions } from '../../index.ts'
import { memoryDatabase } from '../../store/memory.ts'
import { ANA, AS, ends, eventsOf, firstWords, play, recordedOf } from './client-stage.ts'
import { FREE, held, KEY, keyOf, PAINT, paints, sourceOf, STATE, withState } from './painter.ts'

describe('the wait for an answer', () => {
  async function restarted(first: Partial<HostOptions>, second: Partial<HostOptions>) {
    const database = memoryDatabase()
    const model = scripted([...PAINT, ends])
    const { source, shop } = await sourceOf(first.key === undefined ? withState('plain') : paints)
    const worker = await createRuntime({ store: memory(database), tools: [source], model, ...first })
    const turn = await worker.spawn({ input: 'Go.', principal: ANA })
    const result = await turn.result()
    await worker.close()
    const next = await mcp({ name: 'shop', transport: shop.transport, ...FREE })
    const other = await createRuntime({ store: memory(database), tools: [next], model, ...second })
    await other.approve(held(result), { ...AS, answers: { which: { colour: 'red' } } })
    const { version, ...after } = await other.result(turn.id)
    const events = await eventsOf(other, turn.id, version)
    await other.close()
    return { events, result: after, shop }
  }

  test.each([
    ['without a key', {}],
    ['with a key', { key: KEY }],
  ])('outlives the process, %s', async (_, host) => {
    const { events, result, shop } = await restarted(host, host)
    expect(result).toMatchObject({ state: 'completed', calls: [{ outcome: 'executed', dispatches: 2 }] })
    expect(firstWords(events)).toBe('painted')
    expect(shop.sent('tools/call')[1]?.params['requestState']).toBe('key' in host ? STATE : 'plain')
  })

  test('keeps the state of the server out of the record where there is a key, and is refused under another one', async () => {
    const { events, result, shop } = await restarted({ key: KEY }, { key: Buffer.alloc(32, 8) })
    expect(result.calls[0]).toMatchObject({ outcome: 'refused', reason: 'arguments-lost' })
    expect(JSON.stringify(events)).not.toContain('eyJhbGciOiJIUzI1NiJ9')
    expect(shop.sent('tools/call').length).toBe(1)
  })

  test('is not copied into a fork: its call begins anew, under a key of its own', async () => {
    const { source, shop } = await sourceOf(paints)
    const { runtime, result, turnId } = await play([source], PAINT, { key: KEY })
    const fork = await runtime.fork(turnId, { at: result.version })
    expect(await fork.result()).toMatchObject({ state: 'holding', calls: [{ dispatches: 1 }] })
    const [first, second] = shop.sent('tools/call').map(({ params }) => params)
    expect(second?.['inputResponses']).toBeUndefined()
    expect(second?.['requestState']).toBeUndefined()
    expect(keyOf(second)).not.toBe(keyOf(first))
    await runtime.close()
  })

  test('needs a key where the state holds what is a secret', async () => {
    const { source } = await sourceOf(withState('the hush-hush word'))
    const { events, runtime } = await play([source], PAINT, { redact: { values: ['hush-hush'] } })
    expect(recordedOf(events)[0]).toMatchObject({ result: { isError: true } })
    expect(JSON.stringify(events)).not.toContain('hush-hush')
    await runtime.close()
  })
})
