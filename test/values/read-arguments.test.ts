// Argument text is read by the letter: what JSON.parse reads exactly, and nothing that would have to be mended.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { survivesDouble } from '../../machines/arguments/number.ts'
import { readArguments, readJson, type ReadProblem } from '../../machines/arguments/read.ts'
import { MAX_DEPTH, MAX_TEXT_BYTES, scanJson } from '../../machines/arguments/scan.ts'
import type { JsonObject } from '../../machines/json.ts'

function valueOf(text: string | null): JsonObject {
  const read = readArguments(text)
  if (!read.ok) throw new Error(`refused as ${read.problem.kind}`)
  return read.value
}

function problemOf(text: string): ReadProblem {
  const read = readArguments(text)
  if (read.ok) throw new Error('was read')
  return read.problem
}

describe('blank text', () => {
  it.each([null, '', ' ', '  \n', '\t\r\n'])('reads %j as the empty object', text => {
    expect(valueOf(text)).toEqual({})
  })

  it.each(['\u00a0', '\u2003', '\ufeff', '\0'])('does not take %j for blank', text => {
    expect(readArguments(text).ok).toBe(false)
  })
})

describe('what is refused, and where', () => {
  it.each([
    ['{}{"stock":"MSFT"}', 'trailing', 2],
    ['{"a":1}{"a":1}', 'trailing', 7],
    ['{"a":1} x', 'trailing', 8],
    ['{"a":1}\u00a0', 'trailing', 7],
    ['\ufeff{}', 'byte-order-mark', 0],
    ['"{\\"pattern\\":\\"*.md\\"}"', 'not-an-object', 0],
    ['[]', 'not-an-object', 0],
    ['null', 'not-an-object', 0],
    ['7', 'not-an-object', 0],
    ['{"a":1,"a":2}', 'duplicate-key', 7],
    ['{"a":1,"\\u0061":2}', 'duplicate-key', 7],
    ['{"b":{"a":1,"a":1}}', 'duplicate-key', 12],
    ['{"path":"a.md"', 'unfinished', 14],
    ['{"path":"a.m', 'unfinished', 12],
    ['{"path":"a\\u00', 'unfinished', 10],
    ['{"path":tru', 'unfinished', 8],
    ['{"path":1e', 'unfinished', 9],
    ['{"path"', 'unfinished', 7],
    ['{', 'unfinished', 1],
    ['{a:1}', 'syntax', 1],
    ["{'a':1}", 'syntax', 1],
    ['{"a":1,}', 'syntax', 7],
    ['{"a":[1,]}', 'syntax', 8],
    ['{"a":01}', 'syntax', 6],
    ['{"a":+1}', 'syntax', 5],
    ['{"a":.5}', 'syntax', 5],
    ['{"a":NaN}', 'syntax', 5],
    ['{"a":undefined}', 'syntax', 5],
    ['{"a":"\n"}', 'syntax', 6],
    ['{"a":"\\x"}', 'syntax', 6],
    ['{"a":1 /* */}', 'syntax', 7],
    ['```json\n{}\n```', 'syntax', 0],
    ['{"id":2512292042121000001}', 'number', 6],
    ['{"n":9007199254740993}', 'number', 5],
    ['{"x":1e400}', 'number', 5],
    ['{"x":-1e400}', 'number', 5],
    ['{"x":1e-400}', 'number', 5],
    ['{"x":0.1000000000000000055}', 'number', 5],
    ['{"a":[0,{"x":9007199254740993}]}', 'number', 13],
  ])('%s is %s at %i', (text, kind, position) => {
    expect(problemOf(text)).toMatchObject({ kind, position })
  })

  it('counts nesting of objects and arrays, and refuses one level too many', () => {
    const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)
    expect(readArguments(nested(MAX_DEPTH)).ok).toBe(true)
    expect(problemOf(nested(MAX_DEPTH + 1)).kind).toBe('too-deep')
    expect(problemOf(`{"a":${'['.repeat(100_000)}`).kind).toBe('too-deep')
  })

  it('counts bytes and not characters', () => {
    const filled = (fill: string, bytes: number): string => `{"a":"${fill.repeat((bytes - 8) / Buffer.byteLength(fill))}"}`
    expect(readArguments(filled('x', MAX_TEXT_BYTES)).ok).toBe(true)
    expect(problemOf(filled('x', MAX_TEXT_BYTES + 1)).kind).toBe('too-large')
    expect(problemOf(filled('é', MAX_TEXT_BYTES + 2)).kind).toBe('too-large')
  })
})

describe('what is kept', () => {
  const whole = ['0', '-0', '100', '9007199254740992', '1e2', '1E+2', '1e308', '1e0000000000001', '0e99999999999999999999']
  const fractions = ['0.1', '1.0', '0.00100', '5e-324', '-2.5e-3']

  it.each([...whole, ...fractions])('the number %s', number => {
    expect(valueOf(`{"n":${number}}`)['n']).toBe(Number(number))
  })

  it('NUL, lone surrogates and a backslash before u0000', () => {
    expect(valueOf('{"a":"\\u0000","b":"\\ud800","c":"\\\\u0000"}')).toEqual({ a: '\0', b: '\ud800', c: '\\u0000' })
  })

  it('__proto__ as a key like any other', () => {
    const value = valueOf('{"__proto__":{"admin":true},"constructor":1}')
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('a number with a quarter of a million zeros, without stalling', () => {
    expect(valueOf(`{"n":0.${'0'.repeat(260_000)}}`)['n']).toBe(0)
    expect(problemOf(`{"n":1${'0'.repeat(260_000)}}`).kind).toBe('number')
  })
})

describe('against JSON.parse', () => {
  /** Structural text around values, so that near-misses are common. */
  const pieces = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b"', '\\', '\\u00', '41', '1', '-', '.5', 'e3', 'true', 'null', 'nul'],
    ...[' ', '\n', '\ufeff', '\0', '9007199254740993'],
  )

  const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 6 }))

  it('reads every object that JSON.stringify writes, and reads the same', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(valueOf(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('refuses every text that JSON.parse refuses, and differs only by its own further rules', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        const text = parts.join('')
        const read = readJson(text)
        let parsed: { value: unknown } | null = null
        try {
          parsed = { value: JSON.parse(text) }
        } catch {
          parsed = null
        }
        if (read.ok) expect(parsed).toEqual({ value: read.value })
        else if (parsed !== null) expect(['duplicate-key', 'number']).toContain(read.problem.kind)
      }),
      { numRuns: 3000 },
    )
  })

  it('calls every beginning of a whole text unfinished, but for a number that would not survive as it was cut', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value)
        const beginning = text.slice(0, 1 + (cut % (text.length - 1)))
        expect(['unfinished', 'number']).toContain(scanJson(beginning)?.kind)
      }),
    )
  })

  it('keeps every double that is written out, and no decimal that two of its digits could be moved in', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), double => {
        expect(survivesDouble(JSON.stringify(double))).toBe(true)
        expect(survivesDouble(`${BigInt(Math.trunc(double % 1e15))}.12345678901234567890123`)).toBe(false)
      }),
    )
  })

  it('keeps exactly those whole numbers whose digits are the same when the double is written out again', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), whole => {
        expect(survivesDouble(String(whole))).toBe(BigInt(String(Number(whole))) === whole)
      }),
    )
  })
})

describe('the text for the model', () => {
  it('holds nothing that the model wrote', () => {
    const canary = 'CANARY'
    const texts = [
      `{"${canary}":1,"${canary}":2}`,
      `{"${canary}":9007199254740993}`,
      `{"a":"${canary}`,
      `{"a":${canary}}`,
      `{}${canary}`,
      `"${canary}"`,
      `${canary}`,
      `{"a":"${canary}\\x"}`,
    ]
    for (const text of texts) expect(problemOf(text).text).not.toContain(canary)
    for (const text of texts) expect(problemOf(text).text).toMatch(/^The |^An object/)
  })
})
