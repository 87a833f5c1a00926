// Goal: what breaks against an earlier catalog is an error, and what only adds to it is not.

import { describe, expect, test } from 'vitest'
import { lintCatalog } from '../../adapters/lint/catalog/lint.ts'
import type { CatalogWord } from '../../adapters/lint/catalog/words.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { Tool } from '../../machines/tool.ts'
import { closed, descriptors, order, soundTool } from './tools.ts'

const text = { type: 'string', description: 'A text.' }
const units = (...choices: string[]): JsonObject => ({ type: 'string', description: 'The unit.', enum: choices })

function changesOf(before: readonly Tool[], now: readonly Tool[]): readonly (readonly [string, string | null, string])[] {
  const alone = new Set(lintCatalog(now).map(each => JSON.stringify(each)))
  return lintCatalog(now, { against: descriptors(...before) })
    .filter(each => !alone.has(JSON.stringify(each)))
    .map(({ finding, tool, path, severity }) => [`${severity} ${finding}`, tool, path])
}

const within = (input: JsonObject): Tool[] => [soundTool({ input })]

describe('an error', () => {
  test.each<[CatalogWord, string, JsonObject, JsonObject, string]>([
    ['parameter-removed', 'a parameter that is gone', closed({ order, note: text }), closed({ order }), '/inputSchema/properties/note'],
    ['parameter-required', 'one that must be there now', closed({ order }), closed({ order }, 'order'), '/inputSchema/properties/order'],
    [
      'parameter-required',
      'a new one that must be there',
      closed({ order }),
      closed({ order, note: text }, 'note'),
      '/inputSchema/properties/note',
    ],
    ['type-changed', 'another type', closed({ order }), closed({ order: { ...order, type: 'integer' } }), '/inputSchema/properties/order'],
    [
      'type-changed',
      'null, which was taken',
      closed({ order: { ...order, type: ['string', 'null'] } }),
      closed({ order }),
      '/inputSchema/properties/order',
    ],
    [
      'type-changed',
      'a type where there was none',
      closed({ order: { description: 'Any.' } }),
      closed({ order }),
      '/inputSchema/properties/order',
    ],
    [
      'enum-narrowed',
      'a choice that is gone',
      closed({ unit: units('kg', 'lb') }),
      closed({ unit: units('kg') }),
      '/inputSchema/properties/unit',
    ],
    [
      'enum-narrowed',
      'choices where there was any text',
      closed({ unit: text }),
      closed({ unit: units('kg') }),
      '/inputSchema/properties/unit',
    ],
    [
      'parameter-removed',
      'inside of an object',
      closed({ 'a/b': closed({ order, note: text }) }),
      closed({ 'a/b': closed({ order }) }),
      '/inputSchema/properties/a~1b/properties/note',
    ],
    [
      'type-changed',
      'in the items of a list',
      closed({ ids: { type: 'array', items: { type: 'string' } } }),
      closed({ ids: { type: 'array', items: { type: 'integer' } } }),
      '/inputSchema/properties/ids/items',
    ],
    [
      'type-changed',
      'behind a reference',
      { ...closed({ order: { $ref: '#/$defs/o' } }), $defs: { o: { type: 'string' } } },
      { ...closed({ order: { $ref: '#/$defs/p' } }), $defs: { p: { type: 'integer' } } },
      '/inputSchema/properties/order',
    ],
  ])('%s: %s', (word, _what, before, now, path) => {
    expect(changesOf(within(before), within(now))).toEqual([[`error ${word}`, 'find_order', path]])
  })

  test('tool-removed: and what it may be called now', () => {
    const [finding] = lintCatalog([soundTool({ name: 'find_orders' })], { against: descriptors(soundTool()) })
    expect(finding).toMatchObject({
      finding: 'tool-removed',
      tool: 'find_order',
      severity: 'error',
      what: 'The tool is gone; a new one is called `find_orders`.',
    })
  })

  test('replay-policy-changed, content-trust-changed', () => {
    expect(changesOf([soundTool()], [soundTool({ replayPolicy: 'idempotent', contentTrust: 'trusted' })])).toEqual([
      ['error replay-policy-changed', 'find_order', '/replayPolicy'],
      ['error content-trust-changed', 'find_order', '/contentTrust'],
    ])
  })
})

describe('no error', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['nothing', closed({ order }), closed({ order })],
    ['a new parameter that may be left out', closed({ order }), closed({ order, note: text })],
    ['one that must be there and has a default', closed({ order }), closed({ order, note: { ...text, default: '' } }, 'note')],
    ['one that may be left out now', closed({ order }, 'order'), closed({ order })],
    ['a wider type', closed({ order: { ...order, type: 'integer' } }), closed({ order: { ...order, type: ['number', 'null'] } })],
    [
      'a type by alternatives',
      closed({ order }),
      closed({ order: { description: 'Any.', anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    ],
    ['a new choice', closed({ unit: units('kg') }), closed({ unit: units('lb', 'kg') })],
    ['any text instead of choices', closed({ unit: units('kg') }), closed({ unit: text })],
    ['another description', closed({ order }), closed({ order: { ...order, description: 'Another.' } })],
  ])('%s', (_what, before, now) => {
    expect(changesOf(within(before), within(now))).toEqual([])
  })

  test('a new tool', () => {
    expect(changesOf([soundTool()], [soundTool(), soundTool({ name: 'list_invoices', input: closed({ year: text }) })])).toEqual([])
  })

  test('what an earlier catalog did not say', () => {
    expect(lintCatalog([soundTool()], { against: [{ name: 'find_order', inputSchema: closed({ order }, 'order') }] })).toEqual([])
  })
})

test('an earlier catalog that is nested without end, or holds itself, is compared as far as bears it', () => {
  let deep: JsonObject = { type: 'string' }
  for (let level = 0; level < 5_000; level += 1) deep = closed({ inner: deep })
  const tree = closed({ left: { $ref: '#', description: 'Below, left.' }, right: { $ref: '#', description: 'Below, right.' }, order })
  expect(lintCatalog([soundTool({ input: tree })], { against: [{ name: 'find_order', inputSchema: tree }] })).toEqual([])
  expect(changesOf(within(tree), within({ ...tree, required: ['order'] }))).toEqual([
    ['error parameter-required', 'find_order', '/inputSchema/properties/order'],
  ])
  expect(lintCatalog([{ name: 'find_order', inputSchema: deep }], { against: [{ name: 'find_order', inputSchema: deep }] })).toHaveLength(2)
})
