// A tool's result is always defined, of the MCP shape, never empty, and the same before and after storage.

import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkOutput, normaliseResult, resultOfThrown } from '../../machines/result.ts'
import { expectSound, textOf } from './sound.ts'

const circular: { a: number; self?: unknown } = { a: 1 }
circular.self = circular
const revoked = Proxy.revocable({}, {})
revoked.revoke()
const refuse = (): never => {
  throw new Error('no')
}
const hostile = new Proxy({}, { ownKeys: refuse, get: refuse })
/** In a list of their own: test runners cannot print them. */
const UNTOUCHABLE = [() => hostile, () => revoked.proxy]

const NOTHING = /^The tool ran and returned/

describe('a returned value', () => {
  it.each([
    ['undefined', undefined, NOTHING, undefined],
    ['null', null, NOTHING, undefined],
    ['an empty text', '', NOTHING, undefined],
    ['blanks', ' \n', NOTHING, undefined],
    ['a function', () => 1, NOTHING, undefined],
    ['a symbol', Symbol('a'), NOTHING, undefined],
    ['a text', 'hello', /^hello$/, undefined],
    ['an empty list', [], /^\[\]$/, []],
    ['an empty object', {}, /^\{\}$/, {}],
    ['an object with undefined in it', { a: undefined }, /^\{\}$/, {}],
    ['a list with undefined in it', [undefined, () => 1], /^\[null,null\]$/, [null, null]],
    ['a number', 42, /^42$/, 42],
    ['minus zero', -0, /^0$/, 0],
    ['not a number', Number.NaN, /^NaN$/, undefined],
    ['infinity inside', { n: Infinity }, /"Infinity"/, { n: 'Infinity' }],
    ['a bigint', 12345678901234567890n, /^12345678901234567890$/, undefined],
    ['a bigint inside', { n: 12345678901234567890n }, /"12345678901234567890"/, { n: '12345678901234567890' }],
    ['a circle', circular, /circular/, { a: 1, self: '[circular]' }],
    ['one part twice', [circular.a, { b: circular.a }], /b/, [1, { b: 1 }]],
    ['a Map with names', new Map([['a', 1]]), /a/, { a: 1 }],
    ['a Map with other keys', new Map([[{ k: 1 }, 2]]), /k/, [[{ k: 1 }, 2]]],
    ['a Map of another realm', runInNewContext('new Map([["a", new Set([1])]])'), /a/, { a: [1] }],
    ['a Set', new Set([1, 'b']), /b/, [1, 'b']],
    ['a Date', new Date(0), /^1970-01-01T00:00:00.000Z$/, undefined],
    ['an invalid Date', { d: new Date(Number.NaN) }, /null/, { d: null }],
    ['bytes', new Uint8Array([1, 2]), /^AQI=$/, undefined],
    ['numbers in a typed array', new Float32Array([1.5]), /1\.5/, [1.5]],
    ['an address', new URL('https://example.com/a'), /^https:\/\/example.com\/a$/, undefined],
    ['an instance of a class', runInNewContext('new (class { id = 1; #a = 2; get balance() { return this.#a } })'), /id/, { id: 1 }],
    [
      'a getter that throws',
      {
        get a(): never {
          throw new Error('no')
        },
        b: 1,
      },
      /unreadable/,
      { a: '[unreadable]', b: 1 },
    ],
    ['toJSON', { toJSON: () => ({ z: 1 }) }, /z/, { z: 1 }],
    ['toJSON that throws', { a: { toJSON: refuse } }, /unreadable/, { a: '[unreadable]' }],
    ['a boxed text', new String('boxed'), /^boxed$/, undefined],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), /a/, { a: 1 }],
    ['an error inside', { cause: new TypeError('bad') }, /bad/, { cause: { name: 'TypeError', message: 'bad' } }],
    ['NUL and a lone surrogate', 'a\0b\ud800', /^a\0b\ud800$/, undefined],
  ] as const)('%s', (_, value, text, structured) => {
    const result = normaliseResult(value)
    expectSound(result)
    expect(textOf(result)).toMatch(text)
    expect(result.structuredContent).toEqual(structured)
    expect(result.isError).toBeUndefined()
  })

  it('that throws at every touch is a word in brackets', () => {
    for (const make of UNTOUCHABLE) {
      const result = normaliseResult({ inside: make() })
      expectSound(result)
      expect(result.structuredContent).toEqual({ inside: '[unreadable]' })
      expect(textOf(normaliseResult(make()))).toBe('[unreadable]')
    }
  })

  it('that is an error is an error result, as if it had been thrown', () => {
    expect(normaliseResult(new Error('bad'))).toEqual(resultOfThrown(new Error('bad')))
    expect(normaliseResult(runInNewContext('new Error("bad")')).isError).toBe(true)
  })

  it('whatever it is, gives a sound result', () => {
    const kinds = { withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true, withSparseArray: true }
    const anything = fc.anything({ ...kinds, withNullPrototype: true, withBoxedValues: true })
    fc.assert(fc.property(anything, value => expectSound(normaliseResult(value))))
  })

  it('is frozen, and lets go of what was returned', () => {
    const list = [1]
    const result = normaliseResult({ list })
    list.push(2)
    expect(result.structuredContent).toEqual({ list: [1] })
    expect(Object.isFrozen(result.content[0])).toBe(true)
  })

  it('of any size ends: 2 MB of text whole, endless ones left out', () => {
    expect(textOf(normaliseResult('x'.repeat(2_000_000)))).toHaveLength(2_000_000)
    const doubled = Array.from({ length: 60 }).reduce<unknown>(held => [held, held], [])
    const long = new Proxy([], { get: (target, key): unknown => (key === 'length' ? 2 ** 40 : Reflect.get(target, key)) })
    for (const endless of [doubled, new Array(4e9), long]) expect(textOf(normaliseResult(endless))).toMatch(/was left out/)
    let deep: unknown = 'bottom'
    for (let level = 0; level < 50_000; level += 1) deep = [deep]
    expect(textOf(normaliseResult(deep))).toContain('nested too deep')
  })
})

describe('a returned MCP result', () => {
  const none = { type: 'text', text: 'The tool ran and returned no content.' }
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' }
  const resource = { type: 'resource', resource: { uri: 'file:///a', text: 'x' } }

  it('is kept by kind, with blocks of kinds that are not known', () => {
    const content = [{ type: 'text', text: 'a', annotations: { priority: 1 } }, image, link, resource, { type: 'later', x: 1 }]
    expect(normaliseResult({ content, structuredContent: { a: 1 }, isError: false })).toEqual({ content, structuredContent: { a: 1 } })
  })

  it.each([
    ['no content', { content: [] }, { content: [none] }],
    ['content without words', { content: [{ type: 'text', text: '' }] }, { content: [none] }],
    ['a value only', { structuredContent: { a: 1 } }, { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
    ['a value that is null', { structuredContent: null }, { content: [{ type: 'text', text: 'null' }], structuredContent: null }],
    ['texts for blocks', { content: ['a'] }, { content: [{ type: 'text', text: 'a' }] }],
    ['one block for a list', { content: image, isError: false }, { content: [image] }],
    ['a text block without text', { content: [{ type: 'text' }] }, { content: [{ type: 'text', text: '{"type":"text"}' }] }],
    ['an image without data', { content: [{ type: 'image' }] }, { content: [{ type: 'text', text: '{"type":"image"}' }] }],
    [
      'what is no block',
      { content: [5, null] },
      {
        content: [
          { type: 'text', text: '5' },
          { type: 'text', text: 'null' },
        ],
      },
    ],
    ['metadata', { content: [image], _meta: { a: 1 } }, { content: [image] }],
    ['an error that is none', { content: [image], isError: 'no' }, { content: [image] }],
    ['a kind called like a member of all objects', { content: [{ type: 'constructor' }] }, { content: [{ type: 'constructor' }] }],
  ])('with %s is mended', (_, returned, expected) => {
    expect(normaliseResult(returned)).toEqual(expected)
  })

  it('that is an error without words says that it failed', () => {
    const result = normaliseResult({ isError: true, content: [] })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/failed without saying why/)
  })

  it('is not seen in a document that happens to have content', () => {
    const document = { type: 'doc', content: [{ type: 'paragraph' }] }
    expect(normaliseResult(document).structuredContent).toEqual(document)
    expect(normaliseResult({ content: 'a page' }).structuredContent).toEqual({ content: 'a page' })
  })
})

describe('what was thrown', () => {
  // Built from parts, so that no path of a machine stands in this file.
  const path = ['', 'root', 'app', 'secret.txt'].join('/')

  it.each([
    ['an error', new Error('no such order'), 'no such order'],
    ['a text', 'no such order', 'no such order'],
    ['an object', { code: 1, stack: 'at x' }, '{"code":1}'],
    ['an error of another realm', runInNewContext('new Error("no such order")'), 'no such order'],
    ['several errors', new AggregateError([new Error('a'), 'b', null], 'many'), 'many; a; b'],
    ['several errors without words', new AggregateError([new Error('a')]), 'a'],
    ['an error with a stack in its message', new Error('failed\n    at run (tool.js:1:2)'), 'failed'],
    ['an error with a path', new Error(`ENOENT: open '${path}'`), "ENOENT: open '[path]'"],
    ['an error with a module of ours', new Error('Cannot find /a/node_modules/b/index.js'), 'Cannot find [path]'],
    ['an error with a Windows path', new Error('open C:\\Users\\x\\y.txt'), 'open [path]'],
    ['an error with an address and a route', new Error('https://api.example.com/v1: /v1/orders'), 'https://api.example.com/v1: /v1/orders'],
  ])('%s says what it says', (_, thrown, said) => {
    expect(textOf(resultOfThrown(thrown)).split('\n')[0]).toBe(`The tool failed: ${said}`)
  })

  it('without words is an error result all the same', () => {
    const errors = [new Error(), new Error(''), new Error('  '), null, undefined, 5, Symbol('a'), {}, { message: 5 }, { stack: 'x' }]
    for (const thrown of [...errors, ...UNTOUCHABLE.map(make => make())]) {
      const result = resultOfThrown(thrown)
      expectSound(result)
      expect(result.isError).toBe(true)
    }
  })

  it('is bounded and cut at a whole character, with a hint behind it', () => {
    for (const message of ['😀'.repeat(1_000_000), `a${'😀'.repeat(1_000_000)}`]) {
      const text = textOf(resultOfThrown(new Error(message)))
      expect(text.length).toBeLessThan(2_200)
      expect(text.isWellFormed()).toBe(true)
      expect(text).toMatch(/\n.*go on without/)
    }
  })

  it('whatever it is, gives a sound error result without a stack', () => {
    fc.assert(
      fc.property(fc.anything(), thrown => {
        const result = resultOfThrown(thrown)
        expectSound(result)
        expect(result.isError).toBe(true)
      }),
    )
    expect(textOf(resultOfThrown(new Error('x')))).not.toMatch(/results\.test|node:/)
  })
})

describe('the output schema', () => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }

  it('lets a fitting result pass as it is, without adding defaults', () => {
    const result = normaliseResult({ structuredContent: { id: 1 } })
    expect(checkOutput(result, { ...schema, properties: { ...schema.properties, page: { default: 1 } } })).toBe(result)
    expect(checkOutput(result, undefined)).toBe(result)
  })

  it('makes an error result of one that does not fit, which says what was expected and nothing of the value', () => {
    for (const value of [{ id: 'CANARY' }, { CANARY: 1 }]) {
      const checked = checkOutput(normaliseResult({ structuredContent: value }), schema)
      expect(checked.isError).toBe(true)
      expect(textOf(checked)).toMatch(/does not fit its own output schema/)
      expect(textOf(checked)).not.toContain('CANARY')
    }
    expect(checkOutput(normaliseResult('text only'), schema).isError).toBe(true)
  })

  it('is not held against an error result, so its message stays', () => {
    const error = normaliseResult({ isError: true, content: [{ type: 'text', text: 'quota used up' }] })
    expect(checkOutput(error, schema)).toBe(error)
  })

  it('that cannot be used fits nothing', () => {
    expect(checkOutput(normaliseResult({ structuredContent: { id: 1 } }), { $ref: '#' }).isError).toBe(true)
  })
})
