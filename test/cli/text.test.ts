// Goal: what a model, a tool or a person wrote reaches no terminal raw, and JSON stays the same value when it is made safe.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indent, safeJson, safeJsonText, safeLine, safeText, table } from '../../adapters/cli/text.ts'
import { HOSTILE } from './host.config.ts'

const STEERS = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u

describe('text for a terminal', () => {
  test('holds nothing that steers it, whatever was written', () => {
    const anything = fc.string({ unit: 'binary' })
    const ways = [safeText, safeLine, safeJson, (text: string) => safeJson({ [text]: 1 })]
    fc.assert(fc.property(anything, text => ways.every(way => !STEERS.test(way(text)))))
  })

  test('shows what was taken out', () => {
    expect(safeText('a\u001b[2Jb')).toBe('a\\u{1b}[2Jb')
    expect(safeText('half \ud800 of a pair')).toBe('half \\u{d800} of a pair')
  })

  test('keeps lines, and is one line where one is wanted', () => {
    expect(safeText('a\nb\tc')).toBe('a\nb  c')
    expect(safeLine('a\nb')).toBe('a\\nb')
    expect(indent('a\n\nb', 2)).toBe('  a\n\n  b')
  })

  test('leaves the writing of people alone', () => {
    const text = 'Crème brûlée, 東京, Ελλάδα, 🍮'
    expect(safeText(text)).toBe(text)
  })
})

describe('JSON', () => {
  test('is the same value after it was made safe, lone surrogates and all', () => {
    const strings = fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units))
    fc.assert(
      fc.property(fc.jsonValue(), strings, (value, text) => {
        const given = { value, text }
        expect(JSON.parse(safeJson(given))).toEqual(JSON.parse(JSON.stringify(given)))
      }),
    )
    expect(JSON.parse(safeJsonText(JSON.stringify(HOSTILE)))).toBe(HOSTILE)
  })

  test('of nothing is null', () => {
    expect(safeJson(undefined)).toBe('null')
  })
})

test('a table is as wide as its widest cells, cuts nothing and lets no cell break a line', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['1', 'x\ny'],
        ['a long one', ''],
      ],
    ),
  ).toBe('A           B\n1           x\\ny\na long one')
})
