// Goal: what goes onto the bus comes back as it was, says nothing that is to stay in the store, and fits where it goes.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyDigest, bodyOf, eventMessage, fitted, publicEvent, readMessage, wireBytes } from '../../bus/message.ts'
import { eventSubject, progressSubject, subjectMatches, turnsFilter } from '../../bus/subjects.ts'
import { EVENT_TYPES, type StoredEvent } from '../../machines/events.ts'
import { brokerNames } from '../../bus/nats-prefix.ts'
import { looseEvents } from './world.ts'

const [EVENT] = looseEvents(1) as [StoredEvent]
const readBack = (event: StoredEvent) => readMessage(eventMessage(event, {}).body)

describe('a message', () => {
  test('is read back as the public event, whatever JSON it carries', () => {
    fc.assert(
      fc.property(fc.jsonValue(), data => {
        const event = { ...EVENT, data: JSON.parse(JSON.stringify({ value: data })) as unknown } // -0 is no JSON
        expect(readBack(event)).toEqual({ kind: 'event', event: publicEvent(event) })
      }),
    )
  })

  test.each(['a\u0000b', '\\u0000', '\ud800', '😀', '__proto__', '\r\n'])('keeps the string %j', text => {
    const event = { ...EVENT, data: JSON.parse(`{${JSON.stringify(text)}:${JSON.stringify(text)}}`) as unknown }
    const received = readBack(event)
    expect(received.kind === 'event' && JSON.stringify(received.event.data)).toBe(JSON.stringify(event.data))
  })

  test('of an erased event says so by a payload of null', () => {
    expect(readBack({ ...EVENT, data: null, salt: null })).toMatchObject({ kind: 'event', event: { data: null, hash: EVENT.hash } })
  })

  test('holds neither the salt nor the digest that it hides', () => {
    const { body, headers } = eventMessage(EVENT, {})
    const text = Buffer.from(body).toString() + JSON.stringify(headers)
    expect(text).not.toContain(EVENT.salt)
    expect(text).not.toContain(EVENT.dataHash)
  })

  test('has headers of printable ASCII on one line, whatever the labels are', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(fc.dictionary(text, text, { noNullPrototype: true }), labels => {
        const header = eventMessage(EVENT, labels).headers['toolturn-labels'] ?? ''
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(JSON.parse(header)).toEqual(labels)
      }),
    )
  })

  test.each([
    ['no JSON', '{'],
    ['no object', '[1]'],
    ['an event without a hash', JSON.stringify({ ...publicEvent(EVENT), hash: undefined })],
    ['an event at no version', JSON.stringify({ ...publicEvent(EVENT), version: 1.5 })],
    ['an event of a turn that is no token', JSON.stringify({ ...publicEvent(EVENT), turnId: 'a.b' })],
    ['a reference to nothing', '{"reference":{},"digest":"x","bytes":1}'],
  ])('that is none of ours is foreign: %s', (_, text) => {
    expect(readMessage(Buffer.from(text))).toEqual({ kind: 'foreign' })
  })

  test('goes whole up to the limit of the broker, and as a reference over it', () => {
    const message = eventMessage({ ...EVENT, data: { text: 'x'.repeat(5000) } }, { conversation: 'c-17' })
    const size = wireBytes(message)
    expect(fitted(message, size)).toBe(message)
    const body = bodyOf({ ...EVENT, data: { text: 'x'.repeat(5000) } })
    const reference = { kind: 'reference', turnId: EVENT.turnId, version: 1, digest: bodyDigest(body), bytes: body.byteLength }
    expect(readMessage(fitted(message, size - 1).body)).toEqual(reference)
    expect(fitted(message, size - 1)).toMatchObject({ id: message.id, subject: message.subject, headers: message.headers })
  })
})

describe('a subject', () => {
  test.each(EVENT_TYPES)('is made of the type %s', type => {
    expect(eventSubject('turns', { tenant: 'acme', turnId: 't-1', type })).toBe(`turns.acme.t-1.${type}`)
  })

  test.each([
    { tenant: 'a.b' },
    { tenant: '*' },
    { tenant: '' },
    { turnId: '>' },
    { turnId: 'x'.repeat(65) },
    { type: 'call' },
    { type: 'call.*' },
    { type: 'call.late ' },
  ])('is not made of %j', wrong => {
    const parts = { tenant: 'acme', turnId: 't-1', type: 'call.late', ...wrong }
    expect(() => eventSubject('turns', parts)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test('of a tenant or turn that is no token is refused for progress and filters as well', () => {
    expect(() => progressSubject('a b', 't-1')).toThrow(expect.objectContaining({ code: 'option_invalid' }))
    expect(() => turnsFilter('>')).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test.each([
    ['turns.>', 'turns.a.b.call.late', true],
    ['turns.>', 'turns', false],
    ['turns.acme.>', 'turns.acme2.b.call.late', false],
    ['turns.*.*.call.late', 'turns.a.b.call.late', true],
    ['turns.*.*.call.late', 'turns.a.b.call.late.more', false],
    ['turns.*.*.call.late', 'turns.a.b.call', false],
    ['progress.a.b', 'progress.a.b', true],
  ])('%s matches %s: %s', (filter, subject, matches) => {
    expect(subjectMatches(filter, subject)).toBe(matches)
  })

  test('has the prefix of its installation on the broker and nowhere else', () => {
    const shop = brokerNames('shop')
    const pairs = { 'turns.a.b.call.late': 'shop.a.b.call.late', 'replays.>': 'shop-replays.>', 'progress.a.b': 'shop-progress.a.b' }
    for (const [subject, outer] of Object.entries(pairs)) {
      expect(shop.outward(subject)).toBe(outer)
      expect(shop.inward(outer)).toBe(subject)
    }
    expect(shop.stream).toEqual({ turns: 'SHOP', replays: 'SHOP-REPLAYS' })
  })
})
