// Goal: nobody changes by accident what other services read off the broker.
//
// Typed by hand, never imported. When a pin goes red: consumers that run today filter on these subjects and read these headers.
// A header or a key may be added; what is renamed or removed breaks them, and they are not ours to mend. Keep the old one beside
// the new for a release, say so in CHANGELOG.md, then change it here.

import { expect, test } from 'vitest'
import { asReference, eventMessage } from '../../bus/message.ts'
import { brokerNames } from '../../bus/nats-prefix.ts'
import { eventSubject, progressSubject, turnsFilter } from '../../bus/subjects.ts'
import type { StoredEvent } from '../../machines/events.ts'

const EVENT: StoredEvent = {
  turnId: '0190a0b0-0000-7000-8000-000000000000',
  version: 7,
  type: 'call.recorded',
  schemaVersion: 1,
  time: '2026-01-02T03:04:05.678Z',
  tenant: 'acme',
  actor: { kind: 'worker', id: 'w1' },
  worked: 12.5,
  data: { ordinal: 1 },
  previousHash: '1'.repeat(64),
  hash: '2'.repeat(64),
  salt: '3'.repeat(32),
  dataHash: '4'.repeat(64),
}

test('subjects', () => {
  expect(eventSubject('turns', EVENT)).toBe('turns.acme.0190a0b0-0000-7000-8000-000000000000.call.recorded')
  expect(eventSubject('replays', EVENT)).toBe('replays.acme.0190a0b0-0000-7000-8000-000000000000.call.recorded')
  expect(progressSubject('acme', EVENT.turnId)).toBe('progress.acme.0190a0b0-0000-7000-8000-000000000000')
  expect(turnsFilter()).toBe('turns.>')
  expect(turnsFilter('acme')).toBe('turns.acme.>')
})

test('streams', () => {
  expect(brokerNames('turns').stream).toEqual({ turns: 'TURNS', replays: 'REPLAYS' })
})

test('the message of an event: its id, its headers, and a body without salt', () => {
  const { id, headers, body } = eventMessage(EVENT, { conversation: 'c-17', name: 'é' })
  expect(id).toBe('0190a0b0-0000-7000-8000-000000000000:7')
  expect(headers).toEqual({
    'ce-specversion': '1.0',
    'ce-id': '0190a0b0-0000-7000-8000-000000000000:7',
    'ce-source': '/toolturn/acme',
    'ce-type': 'call.recorded',
    'ce-subject': '0190a0b0-0000-7000-8000-000000000000',
    'ce-time': '2026-01-02T03:04:05.678Z',
    'ce-datacontenttype': 'application/json',
    'content-type': 'application/json',
    'toolturn-labels': '{"conversation":"c-17","name":"\\u00e9"}',
  })
  expect(Buffer.from(body).toString('utf8')).toBe(
    '{"actor":{"id":"w1","kind":"worker"},"data":{"ordinal":1},' +
      '"hash":"2222222222222222222222222222222222222222222222222222222222222222",' +
      '"previousHash":"1111111111111111111111111111111111111111111111111111111111111111",' +
      '"schemaVersion":1,"tenant":"acme","time":"2026-01-02T03:04:05.678Z","turnId":"0190a0b0-0000-7000-8000-000000000000",' +
      '"type":"call.recorded","version":7,"worked":12.5}',
  )
})

test('the reference that stands for an event which is too large', () => {
  const { body } = asReference(eventMessage(EVENT, {}))
  expect(JSON.parse(Buffer.from(body).toString('utf8'))).toEqual({
    reference: { turnId: '0190a0b0-0000-7000-8000-000000000000', version: 7 },
    digest: 'bb0f4de5e39b41774cfeee3074044accf82a82fe99a9ed7775ffe720bd84cbb5',
    bytes: 379,
  })
})
