// What is read back is what was appended, whatever it holds; what is erased or damaged shows.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../machines/json.ts'
import { linksOf, upTo, versions, type Stage } from './stage.ts'
import { callRecorded, holdRow, roundFailed, type Place } from './streams.ts'

/** Any UTF-16 code unit by itself: lone surrogates, U+0000, everything that a model or a tool can put into a JSON string. */
const anyUnit = fc.oneof(
  fc.constantFrom('\0', '\ud800', '\udfff', '\ud83d', '\\', '"', '\u2028', '\ufeff', '\u007f', '\\u0000'),
  fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
)
const anyJson = fc.jsonValue({ stringUnit: anyUnit, maxDepth: 3 }) as fc.Arbitrary<Json>

export function recordSuite(stage: () => Stage): void {
  describe('what is read back', () => {
    it('equals what was appended, for every JSON value', async () => {
      const { open, write, store } = stage()
      let place = await open()
      await fc.assert(
        fc.asyncProperty(anyJson, async value => {
          place = await write(place, { facts: [callRecorded(value)] })
          const [event] = await store.read(place.turnId, place.version - 1)
          expect(canonicalJson(structuredContent(event?.data))).toBe(canonicalJson(value))
        }),
        { numRuns: 150 },
      )
      expect(new Set(linksOf(await store.read(place.turnId)))).toEqual(new Set(['whole']))
    })

    it.each([
      ['U+0000', '\0'],
      ['a high surrogate alone', 'a\ud800b'],
      ['a low surrogate alone', '\udc00'],
      ['surrogates in the wrong order', '\udc00\ud800'],
      ['an escape that only looks like one', '\\u0000 \\ud800'],
      ['a key with U+0000', { 'a\0b': 1 }],
      ['a key called __proto__', JSON.parse('{"__proto__":{"x":1}}') as Json],
      ['numbers at the edge', [1e21, 5e-324, 1.7976931348623157e308, 9007199254740993, 0.1]],
      ['a deep value', nested(200)],
      ['a large text', 'ü'.repeat(100_000)],
    ] as [string, Json][])('equals what was appended: %s', async (_, value) => {
      const { open, write, other, links } = stage()
      const place = await write(await open(), { facts: [callRecorded(value)] })
      const [event] = await other.read(place.turnId, 1)
      expect(structuredContent(event?.data)).toEqual(value)
      expect(await links(place)).toEqual(['whole', 'whole'])
    })

    it('is not changed by a writer that goes on writing into its objects', async () => {
      const { store, open, write } = stage()
      const value = { list: [1] }
      const labels = { a: 'b' }
      const place = await write(await open({ labels }), { facts: [callRecorded(value)] })
      value.list.push(2)
      labels.a = 'c'
      const [event] = await store.read(place.turnId, 1)
      expect(structuredContent(event?.data)).toEqual({ list: [1] })
      expect((await store.turn(place.turnId))?.labels).toEqual({ a: 'b' })
    })

    it('comes in order, from behind a version, as much as was asked for', async () => {
      const { store, open, write } = stage()
      const { turnId } = await write(await open(), { facts: upTo(9).map(roundFailed) })
      expect(versions(await store.read(turnId))).toEqual(upTo(10))
      expect(versions(await store.read(turnId, 7))).toEqual([8, 9, 10])
      expect(versions(await store.read(turnId, 2, 3))).toEqual([3, 4, 5])
      expect(await store.read(turnId, 10)).toEqual([])
    })
  })

  describe('erase', () => {
    it('takes payload and salt for good; the chain verifies and says so', async () => {
      const { store, other, open, write, links } = stage()
      const place = await write(await open(), { facts: [callRecorded('secret'), callRecorded('kept')] })
      expect(await store.erase(place.turnId, [2])).toBe(1)
      const [, erased, kept] = await other.read(place.turnId)
      expect(erased).toMatchObject({ version: 2, data: null, salt: null })
      expect(structuredContent(kept?.data)).toBe('kept')
      expect(await links(place)).toEqual(['whole', 'erased', 'whole'])
    })

    it('takes all payloads when no version is named, once', async () => {
      const { store, open, write, links } = stage()
      const place = await write(await open(), { facts: [callRecorded('secret')] })
      expect(await store.erase(place.turnId)).toBe(2)
      expect(await store.erase(place.turnId)).toBe(0)
      expect(await links(place)).toEqual(['erased', 'erased'])
    })

    it('takes what the inbox showed and what was sealed along with all of a turn', async () => {
      const { store, open, write } = stage()
      const place = await open()
      const hold = holdRow(place, { arguments: { to: 'secret' }, reason: 'secret' })
      await write(place, { approvals: { open: [hold], settle: [] }, sealed: { put: [{ ordinal: 1, box: new Uint8Array([1]) }], drop: [] } })
      await store.erase(place.turnId, [1])
      expect(await store.approval(hold.approvalId)).toEqual(hold)
      expect(await store.sealed(place.turnId, 1)).not.toBeNull()
      await store.erase(place.turnId)
      expect(await store.approval(hold.approvalId)).toEqual({ ...hold, arguments: null, reason: '' })
      expect(await store.sealed(place.turnId, 1)).toBeNull()
    })

    it('leaves other turns alone, and the stream can go on', async () => {
      const { store, open, write, links } = stage()
      const [place, neighbour] = [await open(), await open()]
      await store.erase(place.turnId)
      await write(place)
      expect(await links(place)).toEqual(['erased', 'whole'])
      expect(await links(neighbour)).toEqual(['whole'])
      expect(await store.erase('no-such-turn')).toBe(0)
    })
  })

  describe('damage', () => {
    it('takes one event out, and the chain shows where', async () => {
      const { store, open, write, links } = stage()
      const place: Place = await write(await open(), { facts: upTo(3).map(roundFailed) })
      await store.damage(place.turnId, 3)
      expect(versions(await store.read(place.turnId))).toEqual([1, 2, 4])
      expect(await links(place)).toEqual(['whole', 'whole', 'broken'])
    })
  })
}

function structuredContent(data: unknown): Json | undefined {
  return (data as { result: { structuredContent?: Json } }).result.structuredContent
}

function nested(depth: number): Json {
  return depth === 0 ? 'bottom' : [nested(depth - 1)]
}
