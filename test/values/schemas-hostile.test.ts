// Hostile schemas are quarantined when they are compiled, and hostile values end in a verdict: what judging costs is counted, so
// each of these would run for minutes, or out of memory, without the bound that it meets.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../machines/json.ts'
import { compileSchema } from '../../machines/schemas/compile.ts'
import { EVERY_KEYWORD } from './schema-keywords.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const named = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, index => [`p${index}`, make(index)]))

function reason(schema: unknown): string | null {
  const compiled = compileSchema(schema)
  return compiled.ok ? null : compiled.reason
}

function keywords(schema: unknown, value: Json): readonly string[] {
  const compiled = compileSchema(schema)
  if (!compiled.ok) throw new Error(compiled.reason)
  const judged = compiled.validate(value)
  return judged.ok ? [] : judged.problems.map(problem => problem.keyword)
}

/** Each schema refers to the next one twice: 1.5 kB of it stand for sixteen million. */
const doubling = (length: number): unknown => ({
  $ref: '#/$defs/p0',
  $defs: named(length, index =>
    index === length - 1 ? { type: 'null' } : { anyOf: [{ $ref: `#/$defs/p${index + 1}` }, { $ref: `#/$defs/p${index + 1}` }] },
  ),
})

const nested = (levels: number, inner: unknown): unknown => times(levels, index => index).reduce<unknown>(held => ({ not: held }), inner)

describe('at compile time', () => {
  const self: { self?: unknown } = {}
  self.self = self
  const circle = { allOf: [{ $ref: '#/$defs/p0' }], $defs: { p0: { not: { $ref: '#/$defs/p1' } }, p1: { $ref: '#/$defs/p0' } } }
  const links = (count: number): unknown => named(count, index => ({ items: { $ref: `#/$defs/p${(index + 1) % count}` } }))
  const chain = { $ref: '#/$defs/p0', $defs: links(150) }
  const shared = times(60, index => index).reduce<unknown>(held => ({ a: held, b: held }), {})

  it.each([
    ['alternatives that multiply', doubling(24), /multiply/],
    ['a reference to itself', { $ref: '#' }, /back to itself/],
    ['references in a circle', circle, /back to itself/],
    ['2,000 levels', nested(2_000, {}), /levels/],
    ['100,000 bytes', { enum: times(20_000, index => `e${index}`) }, /bytes/],
    ['an object that holds itself', self, /levels|bytes/],
    ['one part held many times over', shared, /bytes/],
    ['more schemas in one than nested branches can bear', { allOf: times(600, () => ({ not: {} })) }, /more than 512/],
    ['too many schemas', { properties: named(500, () => ({ items: { items: { items: { items: {} } } } })) }, /more than 2048/],
    ['a long chain of references', chain, /nest more than 256/],
    ['a reference to the network', { $ref: 'https://example.com/schema.json' }, /outside itself/],
    ['a reference to a file', { $ref: 'file:///etc/hosts' }, /outside itself/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /points at nothing/],
    ['a reference through the prototype', { $ref: '#/constructor/prototype' }, /points at nothing/],
    ['a reference that is no pointer', { $ref: '#/%E0%A4%A' }, /points at nothing/],
    ['dynamic references', { $dynamicRef: '#a' }, /dynamic/],
    ['lookahead', { pattern: '(?=a)b' }, /pattern/],
    ['back references', { pattern: '(a)\\1' }, /pattern/],
    ['a pattern that unrolls to millions', { pattern: `(?:${'[^a]'.repeat(200)}){1000}` }, /repeats too much/],
    ['patterns that are large together', { anyOf: times(9, index => ({ pattern: `x{${1_000 - index}}` })) }, /too large/],
    ['patterns that are long together', { anyOf: times(9, index => ({ pattern: `${index}${'a'.repeat(900)}` })) }, /too long/],
    ['a pattern that sets flags', { pattern: '(?i)a' }, /flags/],
    ['a pattern in a property name', { patternProperties: { '(?!a)': {} } }, /pattern/],
    ['a schema that is none', { properties: { a: 5 } }, /where a schema must stand/],
    ['a list that is none', { allOf: { a: {} } }, /malformed/],
    ['a type that is none', { type: 'strin' }, /malformed/],
    ['names that are none', { required: 'a' }, /malformed/],
    ['numbers that are no JSON', { minimum: Number.NaN }, /no JSON/],
    ['a function', { properties: () => 1 }, /no JSON/],
    ['nothing', undefined, /schema/],
  ] as const)('%s: quarantined, with its reason', (_, schema, expected) => {
    expect(reason(schema)).toMatch(expected)
  })

  it('bears as long a chain of references as it admits', () => {
    expect(reason({ $ref: '#/$defs/p0', $defs: links(120) })).toBeNull()
  })

  it('never throws, whatever stands in the keywords', () => {
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('#', '#/', '#/$defs/a', 'string', '^a$', -1, 1e308))
    const { schema } = fc.letrec<{ schema: unknown; held: unknown }>(tie => ({
      schema: fc.dictionary(fc.constantFrom(...EVERY_KEYWORD), tie('held'), { maxKeys: 4 }),
      held: fc.oneof(anything, tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
    }))
    const dialect = fc.constantFrom('http://json-schema.org/draft-04/schema#', 'http://json-schema.org/draft-07/schema#', undefined)
    fc.assert(
      fc.property(schema, dialect, fc.jsonValue(), (given, $schema, value) => {
        const compiled = compileSchema({ ...(given as object), ...($schema === undefined ? {} : { $schema }) })
        if (compiled.ok) expect(typeof compiled.validate(JSON.parse(JSON.stringify(value)) as Json).ok).toBe('boolean')
        else expect(compiled.reason).toMatch(/^The schema cannot be used: /)
      }),
      { numRuns: 400 },
    )
  })
})

describe('at validation', () => {
  const again = { $ref: '#/$defs/n' }
  const choices = times(300, index => ({ required: [`p${index}`] }))
  const deep = (levels: number): Json => times(levels, index => index).reduce<Json>(held => ({ l: held }), {})
  const long = 'a'.repeat(100_000)
  /** A text on which automata of `[ab]*a[ab]{n}` are in a new state at every character. */
  const mixed = times(100_000, index => ((index * 7_919) % 13 < 6 ? 'a' : 'b')).join('')

  it.each([
    [
      'recursion through two branches, 2^60 ways',
      { $ref: '#/$defs/n', $defs: { n: { allOf: [{ properties: { l: again } }, { properties: { l: again } }] } } },
      deep(60),
    ],
    ['every length bound over a long text', { allOf: times(500, () => ({ minLength: 1 })) }, long],
    ['unequal items in every list of lists', { allOf: times(60, () => ({ uniqueItems: true })) }, times(20_000, index => ({ a: index }))],
    ['long lists of choices for every item', { items: { enum: times(4_000, index => `e${index}`) } }, times(50_000, () => 'e3999')],
    ['a pattern over a long text, again and again', { allOf: times(40, index => ({ pattern: `^[ab]*a[ab]{${index + 100}}` })) }, mixed],
    ['alternatives over many keys', { anyOf: choices, unevaluatedProperties: false }, named(20_000, () => 1)],
    [
      'what is contained, again and again',
      { allOf: times(60, () => ({ contains: { type: 'integer' }, minContains: 40_000 })) },
      times(50_000, () => 1),
    ],
  ] as const)('%s: a verdict', (_, schema, value) => {
    expect(keywords(schema, value)).toEqual(['limit'])
  })

  it('a pattern that others backtrack in, on 100,000 characters', () => {
    expect(keywords({ pattern: '^(a+)+$' }, `${long}!`)).toEqual(['pattern'])
    expect(keywords({ pattern: '^(a+)+$' }, long)).toEqual([])
  })

  it.each(['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid', 'json-pointer'])(
    'the format %s, on 50,000 characters of what it is made of',
    format => {
      const pieces = ['a', 'a.', 'a@', '1', '1:', ':', '/', '~0/', '%41', '-', 'a-', 't', 'P1D', '::']
      for (const piece of pieces) {
        for (const start of ['', 'a:', 'a://', 'a@', 'P', '1']) keywords({ format }, `${start}${piece.repeat(50_000 / piece.length)}\0`)
      }
    },
  )

  it('refuses a value that is too deep, before anything walks it', () => {
    expect(keywords({}, deep(63))).toEqual([])
    expect(keywords({}, deep(64))).toEqual(['limit'])
    expect(keywords({}, deep(20_000))).toEqual(['limit'])
  })

  it('lets ordinary large values through', () => {
    const row = { type: 'object', properties: named(10, () => ({ type: 'string', maxLength: 50 })), additionalProperties: false }
    expect(
      keywords(
        { items: { anyOf: [row, { type: 'null' }] } },
        times(1_500, () => named(10, () => 'some ordinary text')),
      ),
    ).toEqual([])
    expect(keywords({ pattern: '^[A-Za-z0-9+/=]*$' }, long)).toEqual([])
    expect(
      keywords(
        { items: { pattern: '^[a-z0-9-]{1,64}$' } },
        times(2_000, index => `id-${index}-0123456789abcdef`),
      ),
    ).toEqual([])
    expect(
      keywords(
        { type: 'object', properties: named(500, () => ({ type: 'string' })) },
        named(500, () => 'x'),
      ),
    ).toEqual([])
  })

  it('tells patterns apart: one that fits does not speak for another', () => {
    expect(keywords({ properties: { p0: { pattern: '^a' }, p1: { pattern: '^b' } } }, { p0: 'a', p1: 'a' })).toEqual(['pattern'])
  })

  it('looks for few further problems where looking costs much', () => {
    const schema = { items: { anyOf: times(200, index => ({ const: `c${index}` })) } }
    expect(
      keywords(
        schema,
        times(50_000, () => 'x'),
      ),
    ).toHaveLength(8)
  })
})
