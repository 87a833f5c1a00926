// How values lie in columns: every string comes back, and keys come back as they were, whatever was parsed before.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../machines/json.ts'
import { arrayLiteral, fromActor, fromLabels, fromText, isPlain, toActor, toLabels, toText } from '../../store/columns.ts'
import { parseJson } from '../../machines/json-text.ts'

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '\ud800', '\udfff', '\\', '"', ',', ':', '{', '\\u0000', 'e0', 'p'),
    fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
  ),
  maxLength: 6,
})

describe('stored JSON', () => {
  it('keeps its keys, also after keys that the engine would confuse with them', () => {
    parseJson(canonicalJson({ a: [], '\\': 0 }))
    expect(parseJson(canonicalJson({ a: 1, '\n': 2 }))).toEqual({ a: 1, '\n': 2 })
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.dictionary(anyText, anyText)), value => {
        const text = canonicalJson(value)
        expect(canonicalJson(parseJson(text))).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps a key called __proto__', () => {
    const text = '{"\\n":{"__proto__":{"polluted":true}}}'
    expect(canonicalJson(parseJson(text))).toBe(text)
    expect({}).not.toHaveProperty('polluted')
  })

  it('is plain where jsonb would keep it', () => {
    const plain = (value: unknown) => isPlain(canonicalJson(value))
    expect(['a', '\\u0000', '\\\\ud800', '😀', '\u2028', '\n'].map(plain)).not.toContain(false)
    expect(['\0', 'a\ud800', '\\\0', { '\udfff': 1 }].map(plain)).not.toContain(true)
  })
})

describe('a column of text', () => {
  it('keeps every string, and different ones apart', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(fromText(toText(text))).toBe(text)
        expect(toText(text)).not.toMatch(/\0/)
        expect(Buffer.from(toText(text)).toString()).toBe(toText(text))
      }),
    )
  })

  it('keeps actors and labels', () => {
    fc.assert(
      fc.property(anyText, anyText, (issuer, id) => {
        const actors = [
          { kind: 'worker', id },
          { kind: 'person', issuer, id },
        ] as const
        expect(actors.map(actor => fromActor(toActor(actor)))).toEqual(actors)
        expect(fromLabels(toLabels({ [issuer]: id }))).toEqual({ [issuer]: id })
      }),
    )
  })

  it('keeps the items of an array apart', () => {
    expect(arrayLiteral(['a,b', 'c"d', 'e\\f', ''])).toBe('{"a,b","c\\"d","e\\\\f",""}')
  })
})
