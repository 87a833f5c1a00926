// Outside schemas: each dialect by its own rules, defaults once and only where they are declared, problems in the schema's words.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../machines/json.ts'
import { compileSchema } from '../../machines/schemas/compile.ts'
import type { Problem } from '../../machines/schemas/problem.ts'

function judge(schema: unknown, value: Json): { value: Json } | { problems: readonly Problem[] } {
  const compiled = compileSchema(schema)
  if (!compiled.ok) throw new Error(compiled.reason)
  const judged = compiled.validate(value)
  return judged.ok ? { value: judged.value } : { problems: judged.problems }
}

const fits = (schema: unknown, value: Json): boolean => 'value' in judge(schema, value)

function problems(schema: unknown, value: Json): readonly Problem[] {
  const judged = judge(schema, value)
  if ('value' in judged) throw new Error('fits')
  return judged.problems
}

function reason(schema: unknown): string {
  const compiled = compileSchema(schema)
  if (compiled.ok) throw new Error('compiled')
  return compiled.reason
}

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

describe('dialects', () => {
  it.each([
    ['draft-04, where exclusiveMinimum is a flag', { $schema: DRAFT_04, minimum: 0, exclusiveMinimum: true }, 0, 1],
    ['draft-07, where it is a number', { $schema: DRAFT_07, exclusiveMinimum: 0 }, 0, 1],
    ['draft-07 with a list of items', { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false }, ['a', 1], ['a']],
    ['draft-07 with dependencies', { $schema: DRAFT_07, dependencies: { a: ['b'] } }, { a: 1 }, { a: 1, b: 1 }],
    ['2020-12 with prefixItems, when none is named', { prefixItems: [{ type: 'string' }], items: false }, [1], ['a']],
    ['2020-12 by its name', { $schema: DRAFT_2020, dependentRequired: { a: ['b'] } }, { a: 1 }, { a: 1, b: 1 }],
  ] as const)('%s', (_, schema, wrong, right) => {
    expect(fits(schema, wrong as Json)).toBe(false)
    expect(fits(schema, right as Json)).toBe(true)
  })

  it('quarantines any other', () => {
    expect(reason({ $schema: 'https://json-schema.org/draft/2019-09/schema' })).toMatch(/dialect/)
    expect(reason({ $schema: 5 })).toMatch(/dialect/)
  })

  it('does not read a keyword by the rules of another dialect', () => {
    expect(reason({ exclusiveMinimum: true })).toMatch(/malformed/)
    expect(reason({ items: [{ type: 'string' }] })).toMatch(/malformed/)
  })
})

describe('stated behaviour', () => {
  it('takes nullable beside type for a type, and elsewhere for nothing', () => {
    expect(fits({ type: 'string', nullable: true }, null)).toBe(true)
    expect(fits({ type: ['string', 'integer'], nullable: true }, null)).toBe(true)
    expect(fits({ type: 'string', nullable: false }, null)).toBe(false)
    expect(fits({ enum: ['a'], nullable: true }, null)).toBe(false)
    expect(fits({ type: 'null', nullable: false }, null)).toBe(true)
  })

  it('checks known formats and takes unknown ones for annotations', () => {
    expect(fits({ format: 'date-time' }, 'yesterday')).toBe(false)
    expect(fits({ format: 'date-time' }, '2026-01-02T03:04:05Z')).toBe(true)
    expect(fits({ type: 'integer', format: 'uint' }, 5)).toBe(true)
    expect(fits({ format: 7 }, 'x')).toBe(true)
    expect(fits({ format: 'int32' }, 2 ** 31)).toBe(false)
    for (const unchecked of ['regex', 'byte', 'uri-template', 'url']) expect(fits({ format: unchecked }, '(((')).toBe(true)
  })

  it('never coerces', () => {
    for (const [type, value] of [
      ['integer', '5'],
      ['string', 5],
      ['boolean', 'true'],
      ['array', '[1]'],
      ['null', ''],
    ] as const) {
      expect(fits({ type }, value)).toBe(false)
    }
  })

  it('never unwraps, and takes null for a value like any other', () => {
    const schema = { properties: { queries: { type: 'array' }, note: { type: 'string' }, limit: { type: 'number' } } }
    expect(problems(schema, { queries: '["test"]' })).toEqual([{ path: '/queries', keyword: 'type', expected: 'an array' }])
    expect(problems(schema, { limit: null })).toEqual([{ path: '/limit', keyword: 'type', expected: 'a number' }])
    expect(judge(schema, { note: '[1]' })).toEqual({ value: { note: '[1]' } })
  })

  it('ignores what it does not know, and what only other validators know', () => {
    expect(fits({ type: 'string', $async: true, 'x-secret': true, discriminator: { propertyName: 'a' }, errorMessage: 5 }, 5)).toBe(false)
    expect(fits({ type: 'string', examples: [5], $comment: 'x', contentMediaType: 'text/html' }, 'a')).toBe(true)
  })

  it('applies keywords beside a reference, and lets two schemas have one $id', () => {
    const $id = 'https://example.com/a'
    const schema = { $id, $ref: '#/$defs/a', maxLength: 1, $defs: { a: { $id, type: 'string' } } }
    expect(fits(schema, 5)).toBe(false)
    expect(fits(schema, 'ab')).toBe(false)
    expect(fits(schema, 'a')).toBe(true)
    expect(fits({ $id: 'https://example.com/a', type: 'integer' }, 5)).toBe(true)
  })

  it('follows references to any place of the schema, escaped as pointers are', () => {
    const schema = { $ref: '#/components/a~1b/c%20d', components: { 'a/b': { 'c d': { type: 'integer' } } } }
    expect(fits(schema, 'x')).toBe(false)
    expect(fits(schema, 1)).toBe(true)
  })

  it('lets a schema hold itself where it enters a part of the value', () => {
    const tree = { type: 'object', properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#' } } } }
    expect(fits(tree, { value: 1, children: [{ value: 2, children: [] }] })).toBe(true)
    expect(problems(tree, { children: [{ children: [{ value: 'x' }] }] })[0]?.path).toBe('/children/0/children/0/value')
  })

  it('reads __proto__ and toString as names like any other', () => {
    const value = JSON.parse('{"__proto__":{"admin":true}}') as JsonObject
    expect(fits({ additionalProperties: false }, value)).toBe(false)
    expect(fits({ required: ['toString'] }, {})).toBe(false)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

describe('defaults', () => {
  it('are applied through properties, items, allOf and references, nested ones too', () => {
    const schema = {
      properties: {
        limit: { default: 10 },
        options: { default: {}, properties: { deep: { default: true } } },
        list: { items: { $ref: '#/$defs/entry' } },
        pair: { prefixItems: [{ properties: { a: { default: 1 } } }] },
      },
      allOf: [{ properties: { page: { default: 1 } } }],
      additionalProperties: { properties: { z: { default: 'z' } } },
      $defs: { entry: { properties: { kind: { default: 'plain' } } } },
    }
    expect(judge(schema, { list: [{}, { kind: 'x' }], pair: [{}, {}], other: {} })).toEqual({
      value: {
        limit: 10,
        options: { deep: true },
        list: [{ kind: 'plain' }, { kind: 'x' }],
        pair: [{ a: 1 }, {}],
        page: 1,
        other: { z: 'z' },
      },
    })
  })

  it('are not applied inside alternatives, nor taken from one that does not fit', () => {
    const branch = { type: 'object', properties: { mode: { const: 'a' }, extra: { default: 1 } }, required: ['mode'] }
    const other = { type: 'object', properties: { mode: { const: 'b' } }, required: ['mode'], additionalProperties: false }
    const schema = { anyOf: [{ $ref: '#/$defs/branch' }, { $ref: '#/$defs/other' }], $defs: { branch, other } }
    expect(judge(schema, { mode: 'b' })).toEqual({ value: { mode: 'b' } })
    expect(judge(schema, { mode: 'a' })).toEqual({ value: { mode: 'a' } })
  })

  it('are validated, and do not share one object between two values', () => {
    expect(fits({ properties: { n: { type: 'integer', default: 'x' } } }, {})).toBe(false)
    const compiled = compileSchema({ properties: { list: { default: [] } } })
    if (!compiled.ok) throw new Error(compiled.reason)
    const [a, b] = [compiled.validate({}), compiled.validate({})]
    expect(a.ok && b.ok && (a.value as JsonObject)['list'] !== (b.value as JsonObject)['list']).toBe(true)
  })

  it('that hold themselves without end make no value fit, and end', () => {
    expect(problems({ properties: { child: { default: {}, $ref: '#' } } }, {})[0]?.keyword).toBe('limit')
  })
})

describe('the prepared value', () => {
  const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })).map(value => JSON.parse(JSON.stringify(value)) as JsonObject)

  it('is an equal, frozen copy, and what was given is left alone', () => {
    fc.assert(
      fc.property(values, value => {
        const before = JSON.stringify(value)
        const judged = judge({ type: 'object' }, value)
        expect(judged).toEqual({ value })
        expect('value' in judged && judged.value !== value && Object.isFrozen(judged.value)).toBe(true)
        expect(JSON.stringify(value)).toBe(before)
        expect(Object.isFrozen(value)).toBe(false)
      }),
    )
  })

  it('is judged once more with the same result: preparing twice is preparing once', () => {
    const schema = { properties: { a: { default: { b: 1 } }, c: { items: { properties: { d: { default: null } } } } } }
    fc.assert(
      fc.property(values, value => {
        const once = judge(schema, value)
        if ('value' in once) expect(judge(schema, once.value)).toEqual(once)
      }),
    )
  })

  it('holds 0 for -0, as the record will', () => {
    expect(judge({}, { n: -0, list: [-0] })).toEqual({ value: { n: 0, list: [0] } })
  })
})

describe('problems', () => {
  it.each([
    [{ type: 'integer' }, 'x', 'type', 'a whole number'],
    [{ type: ['string', 'null'] }, 5, 'type', 'a string or null'],
    [{ required: ['owner'] }, {}, 'required', 'the property "owner"'],
    [{ additionalProperties: false }, { CANARY: 1 }, 'additionalProperties', 'no property that the schema does not declare'],
    [{ unevaluatedProperties: false }, { CANARY: 1 }, 'unevaluatedProperties', 'no property that the schema does not declare'],
    [{ propertyNames: { maxLength: 3 } }, { CANARY: 1 }, 'maxLength', 'in every property name at most 3 characters'],
    [{ enum: ['a', 1] }, 'CANARY', 'enum', 'one of "a", 1'],
    [{ const: { a: 1 } }, 'CANARY', 'const', 'exactly {"a":1}'],
    [{ minimum: 3 }, 1, 'minimum', 'a number >= 3'],
    [{ exclusiveMaximum: 3 }, 3, 'exclusiveMaximum', 'a number < 3'],
    [{ multipleOf: 2 }, 3, 'multipleOf', 'a multiple of 2'],
    [{ minLength: 3 }, 'a', 'minLength', 'at least 3 characters'],
    [{ maxItems: 0 }, ['CANARY'], 'maxItems', 'at most 0 items'],
    [{ uniqueItems: true }, ['CANARY', 'CANARY'], 'uniqueItems', 'items that all differ'],
    [{ contains: { const: 1 } }, ['CANARY'], 'contains', 'at least 1 fitting items'],
    [{ pattern: '^a+$' }, 'CANARY', 'pattern', 'text that matches the pattern "^a+$"'],
    [{ format: 'date' }, 'CANARY', 'format', 'the format "date"'],
    [{ not: {} }, 'CANARY', 'not', 'a value that does not fit the excluded schema'],
    [{ dependentRequired: { a: ['b'] } }, { a: 'CANARY' }, 'dependentRequired', 'also the property or properties "b"'],
    [{ oneOf: [{}, {}] }, 'CANARY', 'oneOf', 'a value that fits exactly one of the alternatives'],
    [false, 'CANARY', 'false schema', 'nothing here: the schema allows no value'],
  ] as const)('%j says what it expects', (schema, value, keyword, expected) => {
    expect(problems(schema, value as Json)).toContainEqual({ path: '', keyword, expected })
  })

  it('are several at once, at most eight, each once', () => {
    const schema = { type: 'object', required: ['a', 'b'], properties: { c: { type: 'integer' } }, additionalProperties: false }
    expect(problems(schema, { c: 'x', d: 1, e: 2 })).toHaveLength(4)
    expect(
      problems(
        { items: { type: 'integer' } },
        Array.from({ length: 50 }, () => 'x'),
      ),
    ).toHaveLength(8)
  })

  it('show the names that the schema declares and the indexes of lists, and no other name', () => {
    const schema = {
      properties: { filters: { additionalProperties: { type: 'object', properties: { limit: { type: 'integer' } } } } },
      patternProperties: { '^CAN': { type: 'array', items: { type: 'string' } } },
    }
    expect(problems(schema, { filters: { CANARY: { limit: 'x' } }, CANARY: ['a', 5] }).map(problem => problem.path)).toEqual([
      '/filters/<undeclared property>/limit',
      '/<undeclared property>/1',
    ])
    expect(problems({ additionalProperties: { type: 'string' } }, { '0': 1 })[0]?.path).toBe('/<undeclared property>')
    expect(problems({ properties: { 'a/b': { type: 'string' } } }, { 'a/b': 1 })[0]?.path).toBe('/a~1b')
  })

  it('hold nothing of the value, whatever is wrong with it', () => {
    const canary = fc.constantFrom('CANARY', 'CANARY/1', '~CANARY')
    const bad = fc.letrec<{ value: Json }>(tie => ({
      value: fc.oneof(canary, fc.integer(), fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(canary, tie('value'), { maxKeys: 3 })),
    })).value
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          anyOf: [
            { type: 'string', maxLength: 2 },
            { type: 'array', items: { $ref: '#/$defs/node' }, uniqueItems: true },
            { $ref: '#/$defs/map' },
          ],
        },
        map: {
          type: 'object',
          propertyNames: { pattern: '^[a-z]$' },
          patternProperties: { '^C': { $ref: '#/$defs/node' } },
          additionalProperties: { $ref: '#/$defs/node' },
          required: ['x'],
        },
      },
    }
    fc.assert(
      fc.property(bad, value => {
        const judged = judge(schema, value)
        if ('problems' in judged) expect(JSON.stringify(judged.problems)).not.toContain('CANARY')
      }),
    )
  })

  it('are bounded, however long the words of the schema are', () => {
    const long = 'é'.repeat(5_000)
    const [first] = problems({ enum: [long, long] }, 1)
    expect(first?.expected.length).toBeLessThan(300)
    expect(problems({ properties: { [long]: { type: 'string' } } }, { [long]: 1 })[0]?.path.length).toBeLessThan(300)
  })
})
