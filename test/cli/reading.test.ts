// Goal: what people write on a command line is read as they mean it, or turned away with what was expected.

import { describe, expect, test } from 'vitest'
import { count, fromOne, given, json, label, time } from '../../adapters/cli/reading.ts'
import { busOf, storeOf } from '../../adapters/cli/where.ts'

describe('a time', () => {
  test.each([
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['2026-01-31T09:30:00Z', Date.UTC(2026, 0, 31, 9, 30)],
    ['2026-01-31T09:30Z', Date.UTC(2026, 0, 31, 9, 30)],
    ['2026-01-31T00:30:00.250+02:00', Date.UTC(2026, 0, 30, 22, 30, 0, 250)],
    ['2026-01-31T09:30:00', Date.UTC(2026, 0, 31, 9, 30)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
  ])('%s', (text, ms) => {
    expect(time(text)).toBe(ms)
  })

  test.each([
    '',
    'yesterday',
    '31.01.2026',
    '2026-1-31',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31T25:00:00Z',
    '2026-02-30T09:30:00Z',
    '1769850000000',
  ])('%s is none', text => {
    expect(() => time(text)).toThrow(/ISO 8601/)
  })
})

describe('a number', () => {
  test('is whole, and where it counts from one not nothing', () => {
    expect(count('0')).toBe(0)
    expect(fromOne('12')).toBe(12)
    for (const text of ['-1', '1.5', '1e3', '', 'x', ' 1']) expect(() => count(text)).toThrow(/whole number/)
    expect(() => fromOne('0')).toThrow(/from 1/)
  })
})

test('labels add up, and the value may hold an equals sign', () => {
  expect(label('b=x=y', label('a='))).toEqual({ a: '', b: 'x=y' })
  expect(() => label('=x')).toThrow(/name=value/)
})

test('JSON is one value, and nothing is mended', () => {
  expect(json('--arguments', '{"a": [1]}')).toEqual({ a: [1] })
  for (const text of ['', '{a: 1}', '{"a": 1} {}', '{"a": 1, "a": 2}']) expect(() => json('--arguments', text)).toThrow(/--arguments/)
})

describe('an address', () => {
  test('of a store is shown without its password, and with its schema', () => {
    const named = storeOf({ store: 'postgres://ana:secret@db.example.com/app?schema=turns&sslmode=require' })
    expect(named.address).toBe('postgres://ana@db.example.com/app?sslmode=require&schema=turns')
    for (const store of [undefined, '']) expect(storeOf(given({ store })).address).toBe('pglite:.toolturn')
    expect(storeOf({ store: 'memory:' }).address).toBe('memory:')
  })

  test.each(['mysql://x', 'pglite:', 'postgres', 'postgres://[', 'memory'])('%s is none of a store', store => {
    expect(() => storeOf({ store })).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  test('of a bus is nats or memory', async () => {
    expect(await busOf({ bus: 'nats://127.0.0.1:4222?prefix=p' }, true)).toMatchObject({ kind: 'nats' })
    expect(await busOf({}, false)).toMatchObject({ kind: 'memory' })
    await expect(busOf({ bus: 'amqp://x' }, true)).rejects.toMatchObject({ code: 'option_invalid' })
  })

  test('in memory takes nothing from a process that drives: what it acknowledged would reach no broker later', async () => {
    expect(await busOf({ bus: 'memory:' }, true)).toMatchObject({ kind: 'none' })
  })
})
