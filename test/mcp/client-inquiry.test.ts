// Goal: what a server wants to know in the middle of a call is asked of the acting person alone, and the call goes on with the answer and
// with the server's state byte for byte.

import { inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { ANA, AS, firstWords, play, recordedOf } from './client-stage.ts'
import { answered, colour, FREE, held, KEY, keyOf, PAINT, paints, sourceOf, STATE, withState, wordsOf } from './painter.ts'
import type { Answer, Shop } from './shop.ts'

const BEN = { as: { ...ANA, id: 'ben' }, via: 'app' } as const

describe('a server that wants to know something', () => {
  test.each([
    ['without a key', {}],
    ['with a key', { key: KEY }],
  ] as const)('has the call held with its form, and goes on with the answer and its very state, %s', async (how, host) => {
    const { shop, source } = await sourceOf(how === 'with a key' ? paints : withState('plain state, é'), FREE)
    const { runtime, result, turnId, events } = await play([source], PAINT, host)
    expect(result).toMatchObject({ state: 'holding', calls: [{ outcome: 'held', dispatches: 1 }] })
    const { approvals } = await runtime.approvals()
    expect(approvals[0]).toMatchObject({
      reason: 'inquiry',
      arguments: { arguments: { wall: 'north' }, forms: { which: { message: 'Which colour?' } } },
    })
    expect(events.map(event => event.type).slice(-3)).toEqual(['call.dispatched', 'call.inquired', 'call.held'])

    await runtime.approve(held(result), { ...AS, answers: { which: { colour: 'blue' } } })
    const after = await wordsOf(runtime, turnId)
    expect(after).toMatchObject({ words: 'painted', result: { state: 'completed', calls: [{ outcome: 'executed', dispatches: 2 }] } })
    const [first, second] = shop.sent('tools/call').map(({ params }) => params)
    expect(second).toMatchObject({
      name: 'paint',
      arguments: { wall: 'north' },
      inputResponses: { which: { action: 'accept', content: { colour: 'blue' } } },
    })
    expect(second?.['requestState']).toBe(how === 'with a key' ? STATE : 'plain state, é')
    expect(keyOf(second)).toBe(keyOf(first))
    expect(await runtime.replay(turnId)).toMatchObject({ same: true, executions: 0 })
    await runtime.close()
  })

  test('may want to know more, and is given the answer to what it asked last', async () => {
    const seen: unknown[] = []
    const call: Answer = (_, { mcpReq }) => {
      seen.push([mcpReq.inputResponses, mcpReq.requestState()])
      if (seen.length === 1) return inputRequired({ inputRequests: { first: colour() }, requestState: 'one' })
      return seen.length === 2
        ? inputRequired({ inputRequests: { second: colour('And the frame?') }, requestState: 'two' })
        : answered('painted')
    }
    const { source } = await sourceOf(call)
    const { runtime, result, turnId } = await play([source], PAINT)
    await runtime.approve(held(result), { ...AS, answers: { first: { colour: 'red' } } })
    const again = await runtime.result(turnId)
    expect(held(again)).not.toBe(held(result))
    await runtime.approve(held(again), { ...AS, answers: { second: { colour: 'blue' } } })
    expect((await wordsOf(runtime, turnId)).words).toBe('painted')
    expect(seen).toEqual([
      [undefined, undefined],
      [{ first: { action: 'accept', content: { colour: 'red' } } }, 'one'],
      [{ second: { action: 'accept', content: { colour: 'blue' } } }, 'two'],
    ])
    await runtime.close()
  })

  test('may only want its own state back, which is no question to anybody', async () => {
    const call: Answer = (_, { mcpReq }) =>
      mcpReq.requestState() === 'later' ? answered('painted') : inputRequired({ requestState: 'later' })
    const { source, shop } = await sourceOf(call)
    const { result, events, runtime } = await play([source], PAINT)
    expect(result.calls[0]).toMatchObject({ outcome: 'executed', dispatches: 1 })
    expect(firstWords(events)).toBe('painted')
    expect(shop.sent('tools/call').length).toBe(2)
    await runtime.close()
  })

  test('and never comes to an end is given up', async () => {
    const { source, shop } = await sourceOf(() => inputRequired({ requestState: 'again' }))
    const { events, runtime } = await play([source], PAINT)
    expect(recordedOf(events)[0]).toMatchObject({ result: { isError: true } })
    expect(shop.sent('tools/call').length).toBe(4)
    await runtime.close()
  })

  test('is held for approval first, where the tool is, and the consent stands', async () => {
    const { shop, source } = await sourceOf(paints, { defaults: { approval: 'always' } })
    const { runtime, result, turnId } = await play([source], PAINT, { key: KEY })
    expect(shop.sent('tools/call')).toEqual([])
    await runtime.approve(held(result), AS)
    const inquiry = await runtime.result(turnId)
    expect((await runtime.approvals()).approvals[0]?.reason).toBe('inquiry')
    await runtime.approve(held(inquiry), { ...AS, answers: { which: { colour: 'red' } } })
    expect((await wordsOf(runtime, turnId)).words).toBe('painted')
    await runtime.close()
  })
})

describe('an answer', () => {
  test.each([
    ['that is none', {}],
    ['that is missing a form', { answers: {} }],
    ['that does not fit its form', { answers: { which: { colour: 'green' } } }],
    ['to a form that nobody showed', { answers: { which: { colour: 'red' }, other: {} } }],
    ['with edited arguments', { answers: { which: { colour: 'red' } }, arguments: { wall: 'south' } }],
  ])('%s leaves the call held as it was', async (_, given) => {
    const { source, shop } = await sourceOf(paints)
    const { runtime, result } = await play([source], PAINT, { key: KEY })
    await expect(runtime.approve(held(result), { ...AS, ...given })).rejects.toMatchObject({ code: 'decision_invalid' })
    expect((await runtime.approvals()).approvals.length).toBe(1)
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })

  test('to a call that waits for a plain approval is none', async () => {
    const { source } = await sourceOf(paints, {})
    const { runtime, result } = await play([source], PAINT)
    const refused = runtime.approve(held(result), { ...AS, answers: { which: { colour: 'red' } } })
    await expect(refused).rejects.toMatchObject({ code: 'decision_invalid' })
    await runtime.close()
  })

  test.each([false, true])('of another person is turned away; the answer of the acting one counts once (trusted: %s)', async trusted => {
    const { source } = await sourceOf(paints, { ...FREE, trusted })
    const { runtime, result, turnId } = await play([source], PAINT, { key: KEY, spawn: { approvers: [{ id: 'ben' }] } })
    const answers = { which: { colour: 'red' } }
    await expect(runtime.approve(held(result), { ...BEN, answers })).rejects.toMatchObject({ code: 'approval_not_yours' })
    await runtime.approve(held(result), { ...AS, answers })
    await expect(runtime.approve(held(result), { ...AS, answers })).rejects.toMatchObject({ code: 'approval_already_resolved' })
    expect((await wordsOf(runtime, turnId)).words).toBe('painted')
    await runtime.close()
  })

  test('that is a no ends the call, and the server hears nothing more', async () => {
    const { source, shop } = await sourceOf(paints)
    const { runtime, result, turnId } = await play([source], PAINT, { key: KEY })
    await runtime.deny(held(result), AS)
    expect(await runtime.result(turnId)).toMatchObject({ state: 'completed', calls: [{ outcome: 'refused', reason: 'denied' }] })
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })

  test.each([
    ['never', ['closed']],
    ['always', ['closed', 'granted']],
  ] as const)('is not waited for any more when the turn is cancelled (approval: %s)', async (approval, rows) => {
    const { source } = await sourceOf(paints, { defaults: { approval } })
    const { runtime, turnId, result } = await play([source], PAINT, { key: KEY })
    if (approval === 'always') await runtime.approve(held(result), AS)
    expect(await runtime.result(turnId)).toMatchObject({ state: 'holding', calls: [{ dispatches: 1 }] })
    await runtime.cancel(turnId, AS)
    expect((await runtime.result(turnId)).state).toBe('cancelled')
    expect((await runtime.approvals()).approvals).toEqual([])
    const { approvals } = await runtime.approvals({ settled: true })
    expect(new Set(approvals.map(({ settled }) => settled))).toEqual(new Set(rows))
    await runtime.close()
  })
})

describe('a server that wants what it is not given', () => {
  const wanting = (inputRequests: NonNullable<InputRequiredResult['inputRequests']>) => inputRequired({ inputRequests })

  test.each([
    ['a model', { a: inputRequired.createMessage({ messages: [], maxTokens: 1 }) }],
    ['folders', { a: inputRequired.listRoots() }],
    [
      'an address to be opened',
      { a: inputRequired.elicitUrl({ message: 'Open', url: 'https://example.com/', elicitationId: 'e' } as never) },
    ],
  ])('like %s ends with an error result, and nobody is asked', async (_, requests) => {
    const { source } = await sourceOf(() => wanting(requests))
    const { result, events, runtime } = await play([source], PAINT)
    expect(result.state).toBe('completed')
    expect(recordedOf(events)[0]).toMatchObject({ result: { isError: true } })
    await runtime.close()
  })

  test('asks nobody where nobody acts', async () => {
    const { source, shop } = await sourceOf(paints)
    const robot = { issuer: 'https://id.example.com', id: 'robot', kind: 'service' } as const
    const { result, events, runtime } = await play([source], PAINT, { key: KEY, spawn: { principal: robot } })
    expect(result.calls[0]).toMatchObject({ outcome: 'executed', dispatches: 1 })
    expect(recordedOf(events)[0]).toMatchObject({ result: { isError: true } })
    expect(capabilitiesIn(shop)).toEqual([{}])
    await runtime.close()
  })

  test('says in the call that there is somebody to be asked, and says it to no older server', async () => {
    const { source, shop } = await sourceOf(paints)
    const first = await play([source], PAINT, { key: KEY })
    expect(capabilitiesIn(shop)).toEqual([{ elicitation: { form: {} } }])
    await first.runtime.close()
    const older = await sourceOf(() => answered('painted'), FREE, true)
    const second = await play([older.source], PAINT)
    expect(older.shop.sent('initialize')[0]?.params['capabilities']).toEqual({})
    expect(capabilitiesIn(older.shop)).toEqual([undefined])
    await second.runtime.close()
  })

  test('asks no oftener than a person may be asked in a turn', async () => {
    const { source } = await sourceOf((_, { mcpReq }) =>
      inputRequired({ inputRequests: { which: colour(`Which, ${String(mcpReq.requestState())}?`) }, requestState: '.' }),
    )
    const { runtime, result, turnId } = await play([source], PAINT, { limits: { clarifications: 1 } })
    await runtime.approve(held(result), { ...AS, answers: { which: { colour: 'red' } } })
    const after = await runtime.result(turnId)
    expect(after).toMatchObject({ state: 'completed', calls: [{ outcome: 'executed', dispatches: 2 }] })
    await runtime.close()
  })
})

function capabilitiesIn(shop: Shop): readonly unknown[] {
  const meta = shop.sent('tools/call').map(({ params }) => params['_meta'] as { readonly [name: string]: unknown } | undefined)
  return meta.map(each => each?.['io.modelcontextprotocol/clientCapabilities'])
}
