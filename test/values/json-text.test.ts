// Texts whose keys have escapes are read as what they denote, whatever was read before.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type Json } from '../../machines/json.ts'
import { parseJson } from '../../machines/json-text.ts'

test('an escaped key is not taken for another one that was read at its place before', () => {
  for (let times = 0; times < 100; times += 1) parseJson('{"a":[],"\\\\":0}')
  expect(parseJson('{"a":[],"\\n":0}')).toEqual({ a: [], '\n': 0 })
  expect(parseJson('{ "a" : [] ,\n "\\n" : 0 }')).toEqual({ a: [], '\n': 0 })
})

test('every value is read back from its canonical text, and from one with spaces', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), given => {
      const value = given as Json
      expect(canonicalJson(parseJson(canonicalJson(value)))).toBe(canonicalJson(value))
      expect(canonicalJson(parseJson(JSON.stringify(value, null, 2)))).toBe(canonicalJson(value))
    }),
  )
})

test('a key named __proto__ is a key like any other', () => {
  const value = parseJson('{"__proto__":{"x":1},"\\n":2}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(value as object)).toEqual(['__proto__', '\n'])
})

test('what is no JSON is refused, with an escaped key in it as well', () => {
  expect(() => parseJson('{"a\\n":1')).toThrow(SyntaxError)
  expect(() => parseJson('{"a":1}{')).toThrow(SyntaxError)
})
