// Goal: the pieces that all adapters share hold by themselves: failures, sending, silence, names, strict schemas, raw JSON, results.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { watched } from '../../adapters/models/body.ts'
import { outputBudget } from '../../adapters/models/budget.ts'
import { cutOff, httpFailure, notSendable, protocolViolation, timedOut } from '../../adapters/models/failure.ts'
import { ownPart, readOwnPart } from '../../adapters/models/own-part.ts'
import { itemTexts, memberTexts } from '../../adapters/models/raw-json.ts'
import { inWords, resultParts } from '../../adapters/models/result-parts.ts'
import { retryAfterMs } from '../../adapters/models/retry-after.ts'
import { send } from '../../adapters/models/send.ts'
import { stallGuard } from '../../adapters/models/stall.ts'
import { isStrict } from '../../adapters/models/strict.ts'
import { toolNames } from '../../adapters/models/tool-names.ts'
import type { JsonObject } from '../../machines/json.ts'
import { isModelFailure } from '../../machines/ports/model.ts'
import { askContext } from './asking.ts'

describe('a failure by its status', () => {
  it.each([
    [400, 'model_request_rejected', true],
    [401, 'model_request_rejected', true],
    [403, 'model_request_rejected', true],
    [404, 'model_request_rejected', true],
    [422, 'model_request_rejected', true],
    [413, 'model_context_exceeded', true],
    [408, 'model_unavailable', false],
    [409, 'model_unavailable', false],
    [425, 'model_unavailable', false],
    [429, 'model_unavailable', false],
    [500, 'model_unavailable', false],
    [529, 'model_unavailable', false],
  ])('%d is %s', (status, code, final) => {
    expect(httpFailure('A provider', status)).toMatchObject({
      kind: 'http',
      status,
      code,
      final,
      message: `A provider answered with status ${status}.`,
    })
  })

  it('is of the context where the provider said so, and says when to come again', () => {
    expect(httpFailure('A provider', 400, undefined, true)).toMatchObject({ code: 'model_context_exceeded', final: true })
    expect(httpFailure('A provider', 429, 70)).toMatchObject({ retryAfterMs: 70 })
    expect(httpFailure('A provider', 429)).not.toHaveProperty('retryAfterMs')
  })

  it('and every other one can be thrown, and is known', () => {
    const all = [httpFailure('X', 500), timedOut('X'), cutOff('X'), protocolViolation('X.'), notSendable('X.')]
    expect(all.every(failure => failure instanceof Error && isModelFailure(failure))).toBe(true)
    expect(all.map(({ final }) => final)).toEqual([false, false, false, true, true])
  })
})

describe('the time that a provider asks for', () => {
  const after = (headers: Record<string, string>) => retryAfterMs(new Headers(headers))
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after-ms': '7.2', 'retry-after': '2' }, 8],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j is %s', (headers, ms) => {
    expect(after(headers)).toBe(ms)
  })
})

describe('the room of an answer', () => {
  it('doubles within a bound, and is never less than was given', () => {
    expect([0, 1, 2].map(truncations => outputBudget(100, truncations))).toEqual([100, 200, 400])
    expect(outputBudget(100, 1_000)).toBe(1_048_576)
    expect(outputBudget(2_000_000, 1)).toBe(2_000_000)
  })
})

describe('sending', () => {
  const sent: string[] = []
  const request = () => Promise.resolve(sent.push('sent'))

  it('is done once for an ask that is live', async () => {
    await send(askContext(), request)
    expect(sent.splice(0)).toEqual(['sent'])
  })

  it('is not done in a replay, nor when the ask was aborted', async () => {
    await expect(send(askContext({ purpose: 'replay' }), request)).rejects.toMatchObject({ code: 'replay_send_suppressed' })
    await expect(send(askContext({ signal: AbortSignal.abort() }), request)).rejects.toMatchObject({ code: 'runtime_closed' })
    expect(sent).toEqual([])
  })
})

describe('silence', () => {
  it('aborts when it is too long, and is told from the end of the ask', async () => {
    const guard = stallGuard(new AbortController().signal, 1)
    await new Promise(resolve => guard.signal.addEventListener('abort', resolve))
    expect(guard.stalled()).toBe(true)
  })

  it('is no stall when the ask was aborted, or is over', () => {
    const ask = new AbortController()
    const guard = stallGuard(ask.signal, 60_000)
    ask.abort()
    expect([guard.signal.aborted, guard.stalled()]).toEqual([true, false])
    guard.end()
    guard.heard()
  })
})

describe('names of tools', () => {
  const ALPHABET = /^[a-zA-Z0-9_-]+$/
  const name = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', '/', 'é', '工'), minLength: 1, maxLength: 80 })

  it('fit the provider, are each their own, and lead back to exactly one tool', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), offered => {
        const names = toolNames(offered, ALPHABET, 64)
        const sent = offered.map(names.toProvider)
        expect(sent.every(each => ALPHABET.test(each) && each.length <= 64)).toBe(true)
        expect(new Set(sent).size).toBe(offered.length)
        expect(sent.map(names.toHost)).toEqual(offered)
      }),
    )
  })

  it('are left alone where they fit, and are the same in every request', () => {
    const names = toolNames(['find_order', 'shop.find'], ALPHABET, 64)
    expect(names.toProvider('find_order')).toBe('find_order')
    expect(toolNames(['x', 'shop.find'], ALPHABET, 64).toProvider('shop.find')).toBe(names.toProvider('shop.find'))
    expect(toolNames([], ALPHABET, 64).toProvider('shop.find')).toBe(names.toProvider('shop.find'))
  })

  it('never lead to a tool that is not offered, nor away from one that took such a name', () => {
    const taken = toolNames(['shop.find'], ALPHABET, 64).toProvider('shop.find')
    const names = toolNames(['shop.find', taken], ALPHABET, 64)
    expect(names.toHost(taken)).toBe(taken)
    expect(names.toHost(names.toProvider('shop.find'))).toBe('shop.find')
    expect(names.toHost('other')).toBe('other')
  })
})

describe('a strict schema', () => {
  const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
    ...{ type: 'object', properties, required, additionalProperties: false },
  })
  it.each<JsonObject>([
    closed({}),
    closed({ a: { type: 'string', description: 'A.' }, b: { enum: ['x', 1] }, c: { type: ['integer', 'null'] } }),
    closed({ list: { type: 'array', items: closed({ a: { const: 1 } }) } }),
    closed({ either: { anyOf: [{ type: 'string' }, closed({ b: { type: 'number' } })] } }),
  ])('is %j', schema => {
    expect(isStrict(schema)).toBe(true)
  })

  it.each<JsonObject | boolean>([
    true,
    {},
    { type: 'string' },
    closed({ a: { type: 'string' } }, []),
    { ...closed({}), additionalProperties: true },
    { type: 'object', properties: {} },
    { ...closed({}), anyOf: [closed({})] },
    closed({ a: {} }),
    closed({ a: true }),
    closed({ a: { type: 'string', pattern: '^a' } }),
    closed({ a: { type: 'array' } }),
    closed({ a: { type: ['array', 'null'] } }),
    closed({ a: { type: ['object', 'null'], properties: {} } }),
    closed({ a: { properties: { b: { type: 'string' } } } }),
    closed({ a: { anyOf: [{ type: 'object' }] } }),
    closed({ a: { $ref: '#/$defs/a' } }),
  ])('is not %j', schema => {
    expect(isStrict(schema)).toBe(false)
  })
})

describe('a JSON text in its parts', () => {
  it('holds each part as it was written', () => {
    const text = ' { "a" : 12345678901234567890 , "b\\"},{" : [ 1,[2, "]"] , {"c":"\\\\"} ] , "a": 1.0e2 , "e" : {} } '
    expect([...memberTexts(text)]).toEqual([
      ['a', '1.0e2'],
      ['b"},{', '[ 1,[2, "]"] , {"c":"\\\\"} ]'],
      ['e', '{}'],
    ])
    expect(itemTexts(memberTexts(text).get('b"},{') ?? '')).toEqual(['1', '[2, "]"]', '{"c":"\\\\"}'])
    expect([itemTexts('[ ]'), [...memberTexts('{ }')]]).toEqual([[], []])
  })

  it('are the parts that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const members = [...memberTexts(JSON.stringify(value, null, space))].map(([key, text]) => [key, JSON.parse(text) as unknown])
        expect(Object.fromEntries(members)).toEqual(JSON.parse(JSON.stringify(value)))
        const items = Object.values(value)
        expect(itemTexts(JSON.stringify(items, null, space)).map(text => JSON.parse(text) as unknown)).toEqual(
          JSON.parse(JSON.stringify(items)),
        )
      }),
    )
  })
})

describe('what an adapter keeps for itself', () => {
  it('is read by no other, whatever it is', () => {
    const kept = ownPart('one', { id: 'x' })
    expect(readOwnPart('one', kept)).toEqual({ id: 'x' })
    for (const other of [readOwnPart('two', kept), readOwnPart('one', undefined), readOwnPart('one', 'one'), readOwnPart('toString', kept)])
      expect(other).toBe(undefined)
  })
})

describe('the parts of a result', () => {
  it('show a structured value unless a text repeats it', () => {
    const text = (words: string) => ({ type: 'text', text: words })
    const said = (content: readonly ReturnType<typeof text>[], structuredContent: JsonObject | string) =>
      resultParts({ content, structuredContent }).map(inWords)
    expect(said([], { a: 1 })).toEqual(['{"a":1}'])
    expect(said([text('Found.')], { a: 1 })).toEqual(['Found.', '{"a":1}'])
    expect(said([text('Found.'), text('{ "a": 1 }')], { a: 1 })).toEqual(['Found.', '{ "a": 1 }'])
    expect(said([text('x')], 'x')).toEqual(['x'])
  })

  it('that nobody knows are shown as the JSON that they are', () => {
    for (const block of [
      { type: 'hologram', light: 1 },
      { type: 'image', data: 5 },
      { type: 'resource', resource: { uri: 'a:b' } },
    ])
      expect(resultParts({ content: [block] })).toEqual([{ kind: 'text', text: JSON.stringify(block) }])
  })
})

describe('the body of a response', () => {
  it('is heard piece by piece, and given on as it came', async () => {
    let heard = 0
    const response = watched(new Response('{"a":"ü"}'), 'A provider', () => void (heard += 1))
    expect(await response.text()).toBe('{"a":"ü"}')
    expect(heard).toBe(1)
    expect(await watched(new Response(null), 'A provider', () => {}).text()).toBe('')
  })

  it('has a bound', async () => {
    const piece = new Uint8Array(1_048_576)
    const endless = new ReadableStream({ pull: controller => controller.enqueue(piece) })
    await expect(watched(new Response(endless), 'A provider', () => {}).text()).rejects.toMatchObject({ code: 'model_protocol_violation' })
  })

  it('that breaks off is a connection that ended', async () => {
    const broken = new ReadableStream({ pull: controller => controller.error(new Error('words of the network')) })
    await expect(watched(new Response(broken), 'A provider', () => {}).text()).rejects.toMatchObject({ kind: 'reset', final: false })
  })
})
