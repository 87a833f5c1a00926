// Goal: what a server lists becomes tools, all of it and nothing else: hints decide nothing, and what is hostile stands alone.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { mcp, type McpOptions } from '../../adapters/mcp/index.ts'
import type { ToolSource } from '../../index.ts'
import { asks, play } from './client-stage.ts'
import { listed, openShop, type ShopOptions } from './shop.ts'

const open: ToolSource[] = []
afterEach(async () => {
  for (const source of open.splice(0)) await source.close()
})

async function sourceOf(options: ShopOptions, more: Partial<McpOptions> = {}) {
  const shop = openShop(options)
  const source = await mcp({ name: 'shop', transport: shop.transport, ...more })
  open.push(source)
  const one = (name: string) => source.list().find(tool => tool.descriptor.name === name)
  return { shop, source, one, names: () => source.list().map(tool => tool.descriptor.name) }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => listed(`tool_${String(index).padStart(4, '0')}`))

function nested(levels: number): object {
  let schema: object = { type: 'object' }
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe.each([false, true])('a list, by a server of before 2026-07-28: %s', legacy => {
  test('is read page by page (B102)', async () => {
    const { names, shop } = await sourceOf({ tools: many(150), page: 50, legacy })
    expect(names()).toEqual(many(150).map(({ name }) => name))
    expect(shop.sent('tools/list').map(({ params }) => params['cursor'])).toEqual([undefined, '50', '100'])
  })

  test('that names one tool on two pages has it once; two different ones of one name stand in quarantine', async () => {
    const tools = [listed('same'), listed('other'), listed('same'), listed('other', { description: 'Something else.' })]
    const { names, one } = await sourceOf({ tools, page: 2, legacy })
    expect(names()).toEqual(['other', 'same'])
    expect(one('same')?.descriptor.quarantined).toBeUndefined()
    expect(one('other')?.descriptor).toMatchObject({
      quarantined: expect.stringContaining('two different ones'),
      inputSchema: false,
      description: '',
    })
  })

  test('puts into quarantine what is no tool, and keeps the others (G6)', async () => {
    const odd = { name: 'odd', inputSchema: { type: 'array' } }
    const deep = { name: 'deep', inputSchema: nested(20_000) }
    const tamper: ShopOptions['tamper'] = message =>
      'result' in message && Array.isArray(message.result['tools'])
        ? { ...message, result: { ...message.result, tools: [...message.result['tools'], odd, deep, { description: 'nameless' }] } }
        : message
    const { names, one } = await sourceOf({ tools: [listed('find')], legacy, tamper })
    expect(names()).toEqual(['deep', 'find', 'odd'])
    expect(one('odd')?.descriptor.quarantined).toEqual(expect.any(String))
    expect(one('deep')?.descriptor.quarantined).toEqual(expect.any(String))
    expect(one('find')?.descriptor.quarantined).toBeUndefined()
  })

  test('is taken again when the server says that it changed', async () => {
    const { source, shop, names } = await sourceOf({ tools: [listed('find')], legacy })
    let told = 0
    source.changed(() => {
      told += 1
    })
    const [before] = source.list()
    await shop.become(listed('find'), listed('more'))
    await vi.waitFor(() => expect(names()).toEqual(['find', 'more']), 20_000)
    expect(told).toBe(1)
    expect(source.list()[0]).toBe(before)
  })
})

describe('a list', () => {
  test.each([
    ['over a hundred pages', { tools: many(101), page: 1 }, 'more than 100 pages'],
    ['over a thousand tools', { tools: many(1_001) }, 'more than 1000 tools'],
    ['over two mebibytes', { tools: many(200).map(tool => ({ ...tool, description: 'x'.repeat(12_000) })) }, 'more than 2097152 bytes'],
  ])('%s is not taken in part', async (_, options, reason) => {
    const shop = openShop(options)
    const refused = mcp({ name: 'shop', transport: shop.transport })
    await expect(refused).rejects.toMatchObject({ code: 'mcp_server_unreachable', details: { server: 'shop', reason } })
  })

  test('of a server without tools is empty', async () => {
    const { names } = await sourceOf({ tools: [] })
    expect(names()).toEqual([])
  })

  test('stays as it was where it grew over the bounds', async () => {
    const { shop, names } = await sourceOf({ tools: [listed('find')] })
    await shop.become(...many(1_001))
    await vi.waitFor(() => expect(shop.sent('tools/list').length).toBeGreaterThan(1), 20_000)
    expect(names()).toEqual(['find'])
  })
})

describe('a tool', () => {
  const hinting = listed('wipe', { annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false } })

  test('is at-most-once, untrusted and held where the turn is untrusted, whatever the server hints (B61)', async () => {
    const { one } = await sourceOf({ tools: [hinting] })
    expect(one('wipe')).toMatchObject({
      descriptor: { replayPolicy: 'at-most-once', contentTrust: 'untrusted', approval: 'when-untrusted', tries: 1 },
      descriptionTrust: 'untrusted',
    })
  })

  test('has the rules that the host gives it, before those it gives to all', async () => {
    const { one } = await sourceOf(
      { tools: [listed('find'), listed('send')] },
      {
        defaults: { replayPolicy: 'read-only', timeoutMs: 500 },
        tools: { send: { replayPolicy: 'idempotent', approval: 'always', scopes: ['mail'], tries: 2, contentTrust: 'trusted' } },
      },
    )
    expect(one('find')?.descriptor).toMatchObject({ replayPolicy: 'read-only', approval: 'never', timeoutMs: 500 })
    expect(one('send')?.descriptor).toMatchObject({
      replayPolicy: 'idempotent',
      approval: 'always',
      scopes: ['mail'],
      tries: 2,
      timeoutMs: 500,
      contentTrust: 'trusted',
    })
  })

  test('of a trusted server is trusted, in its words and in its results', async () => {
    const { one } = await sourceOf({ tools: [listed('find')] }, { trusted: true })
    expect(one('find')?.descriptor.contentTrust).toBe('trusted')
    expect(one('find')?.descriptionTrust).toBeUndefined()
  })

  test('is described by its title where it has no description, and by nothing else of the server', async () => {
    const { one } = await sourceOf({ tools: [listed('find', { title: 'Find things', description: undefined })] })
    expect(one('find')?.descriptor.description).toBe('Find things')
  })

  test('whose description is longer than any description stands in quarantine', async () => {
    const { one } = await sourceOf({ tools: [listed('long', { description: 'x'.repeat(16_385) }), listed('find')] })
    expect(one('long')?.descriptor).toMatchObject({ description: '', quarantined: expect.stringContaining('16384') })
    expect(one('find')?.descriptor.quarantined).toBeUndefined()
  })

  test.each([
    ['points to the network', { properties: { a: { $ref: 'https://example.com/a.json' } } }],
    ['has a pattern that takes for ever', { properties: { a: { type: 'string', pattern: '(?=(a+)+)b' } } }],
    ['is deep', nested(70)],
    ['is huge', { properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`field_${index}`, { type: 'string' }])) }],
  ])('whose schema %s stands in quarantine alone (G6)', async (_, schema) => {
    const hostile = listed('hostile', { inputSchema: { type: 'object', ...schema } })
    const { shop, source } = await sourceOf({ tools: [hostile, listed('find')] }, { defaults: { approval: 'never' } })
    const { result, events, runtime } = await play([source], [asks(['hostile'], ['find'])])
    expect(result.calls.map(({ outcome, gate }) => [outcome, gate])).toEqual([
      ['invalid', 'name'],
      ['executed', null],
    ])
    expect(events[0]).toMatchObject({ data: { catalog: [{ name: 'find' }, { name: 'hostile', quarantined: expect.any(String) }] } })
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })

  test('whose name is in no catalog is left out', async () => {
    const { names } = await sourceOf({ tools: [listed('x'.repeat(257)), listed('find')] })
    expect(names()).toEqual(['find'])
  })
})
