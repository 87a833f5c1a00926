// Goal: each thing that makes a model choose badly among tools, or is not safe in them, is found at its place; a catalog without it
// is let be.

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { lintCatalog } from '../../adapters/lint/catalog/lint.ts'
import { CATALOG_WORDS, type CatalogWord } from '../../adapters/lint/catalog/words.ts'
import { tool } from '../../adapters/tool.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Tool } from '../../machines/tool.ts'
import { closed, DESCRIPTION, descriptors, many, order, soundTool, taking } from './tools.ts'

/** An array of things that are described. */
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', description: 'Some.', items })
const write = (name: string, input = closed({ order }, 'order'), replayPolicy: 'at-most-once' | 'idempotent' = 'idempotent'): Tool =>
  soundTool({ name, input, replayPolicy })
const city = { type: 'string', description: 'Where it goes.' }

type Case = readonly [word: CatalogWord, what: string, broken: readonly Tool[], path: string, sound: readonly Tool[]]

const CASES: readonly Case[] = [
  ['too-many-tools', '21 tools', many(21), '', many(20)],
  [
    'near-twins',
    'a word apart',
    [write('cancel_order'), write('refund_order')],
    '',
    [write('cancel_order'), write('refund_payment', closed({ payment: order }))],
  ],
  [
    'near-twins',
    'a word more',
    [write('cancel_order'), write('cancel_gift_order')],
    '',
    [write('cancel_order'), write('cancel_order_of_gifts')],
  ],
  ['near-twins', 'of one policy', [write('cancel_order'), write('find_order')], '', [write('cancel_order'), soundTool()]],
  [
    'near-twins',
    'most parameters',
    [
      write('send_letter', closed({ order, city })),
      write('send_parcel', closed({ order, city, weight: { type: 'integer', description: 'Grams.' } })),
    ],
    '',
    [write('send_letter', closed({ order, city })), write('send_parcel', closed({ order, weight: city }))],
  ],
  ['catalog-costly', 'over 10,000 tokens', many(13).map(each => described(each, 3_600)), '', many(13).map(each => described(each, 2_600))],
  [
    'definition-costly',
    'over 1,000 tokens',
    [soundTool({ description: longText(4_000) })],
    '',
    [soundTool({ description: longText(3_000) })],
  ],
  [
    'name-repeated',
    'two of one name',
    [soundTool(), soundTool({ input: closed({ invoice: order }) })],
    '/name',
    [soundTool(), soundTool({ name: 'find_invoice', input: closed({ invoice: order }) })],
  ],
  ['name-says-nothing', 'of empty words', [soundTool({ name: 'run_tool' })], '/name', [soundTool({ name: 'run_backup' })]],
  [
    'description-short',
    'two sentences',
    [soundTool({ description: 'Use it when an order is named. Do not use it for invoices.' })],
    '/description',
    [soundTool()],
  ],
  [
    'description-without-when',
    'nothing of when',
    [soundTool({ description: 'Finds an order. Gives its state. Do not use it when there is none.' })],
    '/description',
    [soundTool({ description: 'Finds an order. Gives its state. Only when an order is named, not for invoices.' })],
  ],
  [
    'description-without-when-not',
    'nothing of when not',
    [soundTool({ description: 'Finds an order. Gives its state. Use it when an order is named.' })],
    '/description',
    [
      soundTool({
        description: 'Finds an order. Gives its state. Use it when an order is named, and `find_invoice` instead for invoices.',
      }),
    ],
  ],
  ['parameter-undescribed', 'a parameter', [taking({ type: 'string' })], '/inputSchema/properties/order', [taking(order)]],
  [
    'parameter-undescribed',
    'one inside of another',
    [taking(listOf(closed({ id: { type: 'string' } })))],
    '/inputSchema/properties/order/items/properties/id',
    [taking(listOf(closed({ id: order })))],
  ],
  [
    'parameter-undescribed',
    'one behind a reference',
    [soundTool({ input: { ...closed({ order: { $ref: '#/$defs/o' } }), $defs: { o: closed({ 'a/b': { type: 'string' } }) } } })],
    '/inputSchema/properties/order',
    [soundTool({ input: { ...closed({ order: { $ref: '#/$defs/o' } }), $defs: { o: order } } })],
  ],
  [
    'choices-without-enum',
    'choices in words',
    [taking({ type: 'string', description: 'One of asc or desc.' })],
    '/inputSchema/properties/order',
    [taking({ type: 'string', description: 'One of asc or desc.', enum: ['asc', 'desc'] })],
  ],
  [
    'object-open',
    'an object that takes more',
    [soundTool({ input: { type: 'object', properties: { order } } })],
    '/inputSchema',
    [soundTool({ input: { type: 'object', properties: { order }, unevaluatedProperties: false } })],
  ],
  [
    'object-open',
    'an object that names nothing',
    [taking({ type: 'object', description: 'More.' })],
    '/inputSchema/properties/order',
    [taking({ type: 'object', description: 'More.', additionalProperties: { type: 'string' } })],
  ],
  ['object-open', 'anything at all', [soundTool({ input: {} })], '/inputSchema', [soundTool({ input: closed({}) })]],
  [
    'secret-unmarked',
    'a password',
    [taking(order, 'db_password')],
    '/inputSchema/properties/db_password',
    [taking({ ...order, writeOnly: true }, 'db_password')],
  ],
  [
    'secret-unmarked',
    'an API key',
    [taking(order, 'apiKey')],
    '/inputSchema/properties/apiKey',
    [taking({ ...order, 'x-secret': true }, 'apiKey')],
  ],
  ['secret-unmarked', 'a token', [taking(order, 'token')], '/inputSchema/properties/token', [taking(order, 'page_token')]],
  [
    'schema-unusable',
    'a reference to elsewhere',
    [taking({ $ref: 'https://example.com/order.json', description: 'An order.' })],
    '/inputSchema',
    [taking(order)],
  ],
  [
    'schema-unusable',
    'a pattern that no linear engine runs',
    [soundTool({ output: { type: 'string', pattern: '(?=a)b' } })],
    '/outputSchema',
    [soundTool({ output: { type: 'string', pattern: '^ab$' } })],
  ],
  [
    'reconcile-missing',
    'a doubt that nothing settles',
    [write('send_letter', closed({ order }), 'at-most-once')],
    '/replayPolicy',
    [soundTool({ name: 'send_letter', replayPolicy: 'at-most-once', reconcile: () => 'unknown' })],
  ],
]

function longText(characters: number): string {
  return `${DESCRIPTION} ${'More of it. '.repeat(characters)}`.slice(0, characters)
}

function described({ descriptor: { name, inputSchema } }: Tool, characters: number): Tool {
  return soundTool({ name, input: inputSchema as JsonObject, description: longText(characters) })
}

describe.each(CASES)('%s: %s', (word, _what, broken, path, sound) => {
  test('is found at its place, with its rule and how to mend it', () => {
    const findings = lintCatalog(broken).filter(({ finding }) => finding === word)
    const { rule, mend, severity } = CATALOG_WORDS[word]
    expect(findings[0]).toMatchObject({ path, rule, mend, severity, what: expect.stringMatching(/\.$/) })
    expect(findings.every(({ tool: name }) => name === null || broken.some(({ descriptor }) => descriptor.name === name))).toBe(true)
  })

  test('is not found beside it', () => {
    expect(lintCatalog(sound).filter(({ finding }) => finding === word)).toEqual([])
  })
})

test('every word of a catalog has a case here, and every word of a change one in the next file', () => {
  const shown = new Set(CASES.map(([word]) => word))
  expect(Object.keys(CATALOG_WORDS).filter(word => !shown.has(word as CatalogWord))).toEqual([
    'tool-removed',
    'parameter-removed',
    'parameter-required',
    'type-changed',
    'enum-narrowed',
    'replay-policy-changed',
    'content-trust-changed',
  ])
})

describe('a catalog', () => {
  test('without fault has no finding', () => {
    expect(lintCatalog([])).toEqual([])
    expect(lintCatalog([soundTool(), ...many(5)])).toEqual([])
    expect(lintCatalog(descriptors(soundTool()))).toEqual([])
  })

  test.each([null, 7, {}, { name: 'find_order' }, { name: 7, inputSchema: {} }, { descriptor: { name: 'find_order' } }])(
    'with %j is turned away',
    tool => {
      expect(() => lintCatalog([tool as unknown as Tool])).toThrow(expect.objectContaining({ code: 'option_invalid' }))
    },
  )

  test('of descriptors says nothing of what only a tool shows', () => {
    const [descriptor] = descriptors(write('send_letter', closed({ order }), 'at-most-once'))
    expect(lintCatalog(descriptor === undefined ? [] : [descriptor])).toEqual([])
  })

  test('that an MCP server lists needs no more than names and schemas', () => {
    expect(lintCatalog([{ name: 'find_order', inputSchema: closed({ order }) }]).map(({ finding }) => finding)).toEqual([
      'description-short',
    ])
  })

  test('tells a group of twins once', () => {
    const twins = ['open', 'close', 'lock', 'unlock'].map(verb => write(`${verb}_door`))
    expect(lintCatalog([...twins, soundTool()]).map(({ finding, tool: name }) => [finding, name])).toEqual([['near-twins', null]])
  })

  test('states its estimate', () => {
    const [finding] = lintCatalog([soundTool({ description: longText(8_000) })])
    expect(finding?.what).toMatch(/about 2,\d{3} tokens \(4 characters a token\)/)
  })

  test('whose schema is hostile has one finding for it, and is not walked', () => {
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 5_000; level += 1) deep = { type: 'object', properties: { inner: deep } }
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }
    for (const inputSchema of [deep, loop]) {
      expect(lintCatalog([{ name: 'find_order', description: DESCRIPTION, inputSchema }]).map(({ finding }) => finding)).toEqual([
        'schema-unusable',
      ])
    }
  })

  test('with a schema that holds itself is walked once', () => {
    const tree = closed({ left: { $ref: '#', description: 'Below, left.' }, name: order })
    expect(lintCatalog([soundTool({ input: tree })])).toEqual([])
  })

  test('written with a Standard Schema is read like any other', () => {
    const loose = tool({
      name: 'find_order',
      description: DESCRIPTION,
      replayPolicy: 'read-only',
      run: () => null,
      input: z.object({ id: z.string().describe('Order id.'), token: z.string() }),
    })
    expect(lintCatalog([loose]).map(({ finding, path }) => [finding, path])).toEqual([
      ['parameter-undescribed', '/inputSchema/properties/token'],
      ['secret-unmarked', '/inputSchema/properties/token'],
      ['object-open', '/inputSchema'],
    ])
    const strict = tool({
      name: 'find_order',
      description: DESCRIPTION,
      replayPolicy: 'read-only',
      run: () => null,
      input: z.strictObject({ id: z.string().describe('Order id.') }),
    })
    expect(lintCatalog([strict])).toEqual([])
  })

  test('looks at a parameter once, and passes over what only restates it', () => {
    const input = {
      ...closed({ order, kind: order }),
      anyOf: [{ properties: { order: { minLength: 1 } } }, { properties: { kind: { const: 'a' } } }],
    }
    expect(lintCatalog([soundTool({ input })])).toEqual([])
  })
})
