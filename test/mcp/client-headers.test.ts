// Goal: over HTTP a schema may want plain arguments in headers too, as the protocol has it, and in no other way.

import { describe, expect, test } from 'vitest'
import { headerProblem } from '../../adapters/mcp/client/headers.ts'
import { mcp } from '../../adapters/mcp/index.ts'
import { asks, play } from './client-stage.ts'
import { listed } from './shop.ts'
import { openWebShop } from './web-shop.ts'

const text = { type: 'string', 'x-mcp-header': 'Region' }

describe('a schema that wants headers', () => {
  test.each([
    ['none', { type: 'object', properties: { a: { type: 'string' } } }],
    ['a plain property', { type: 'object', properties: { a: text } }],
    ['a property of a property', { type: 'object', properties: { a: { type: 'object', properties: { b: text } } } }],
  ])('by %s may be used', (_, schema) => expect(headerProblem(schema)).toBeNull())

  test.each([
    ['at its root', { ...text, type: 'object' }],
    ['in an item', { type: 'object', properties: { a: { type: 'array', items: text } } }],
    ['in an alternative', { type: 'object', anyOf: [{ properties: { a: text } }] }],
    ['for a list', { type: 'object', properties: { a: { type: 'array', 'x-mcp-header': 'Region' } } }],
    ['by a name that is none', { type: 'object', properties: { a: { ...text, 'x-mcp-header': 'two words' } } }],
    ['by a number', { type: 'object', properties: { a: { ...text, 'x-mcp-header': 7 } } }],
    ['twice by one name', { type: 'object', properties: { a: text, b: { ...text, 'x-mcp-header': 'REGION' } } }],
  ])('%s may not', (_, schema) => expect(headerProblem(schema)).toEqual(expect.any(String)))
})

test('the header is sent, and a tool that wants it wrongly stands in quarantine', async () => {
  const properties = { region: { ...text }, other: { type: 'string' } }
  const wrong = { type: 'object' as const, properties: { a: { type: 'array', items: text } } }
  const tools = [listed('find', { inputSchema: { type: 'object', properties } }), listed('odd', { inputSchema: wrong })]
  const shop = await openWebShop(tools, () => ({ content: [] }))
  const source = await mcp({ name: 'web', url: shop.url, headers: { 'x-own': 'ours' }, defaults: { approval: 'never' } })
  const { result, runtime } = await play([source], [asks(['find', { region: 'north', other: 'x' }], ['odd'])])
  expect(result.calls.map(({ outcome }) => outcome)).toEqual(['executed', 'invalid'])
  expect(shop.headers()[0]).toMatchObject({ 'mcp-param-region': 'north', 'x-own': 'ours' })
  expect(Object.keys(shop.headers()[0] ?? {})).not.toContain('mcp-param-other')
  await runtime.close()
  await shop.close()
})
