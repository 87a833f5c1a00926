// Goal: a call of a server's tool goes through every gate before the server hears of it, and its answer is kept as it came.

import { afterEach, describe, expect, test } from 'vitest'
import { mcp, type McpOptions } from '../../adapters/mcp/index.ts'
import { tool, type ToolSource } from '../../index.ts'
import { asks, firstWords, play, recordedOf } from './client-stage.ts'
import { listed, openShop, type ShopOptions } from './shop.ts'

const open: ToolSource[] = []
afterEach(async () => {
  for (const source of open.splice(0)) await source.close()
})

const FREE = { defaults: { approval: 'never' } } as const satisfies Partial<McpOptions>

async function sourceOf(options: ShopOptions, more: Partial<McpOptions> = FREE, name = 'shop') {
  const shop = openShop(options)
  const source = await mcp({ name, transport: shop.transport, ...more })
  open.push(source)
  return { shop, source }
}

const OWNED = listed('find', {
  inputSchema: { type: 'object', properties: { owner: { type: 'string' } }, required: ['owner'], additionalProperties: false },
})

describe.each([false, true])('a call, to a server of before 2026-07-28: %s', legacy => {
  test('reaches the server with its arguments and the key of its invocation, once', async () => {
    const { shop, source } = await sourceOf({ tools: [OWNED], legacy })
    const { result, events, runtime } = await play([source], [asks(['find', { owner: 'ana' }])])
    const dispatched = events.find(event => event.type === 'call.dispatched')
    expect(result.calls[0]).toMatchObject({ outcome: 'executed', dispatches: 1 })
    expect(shop.sent('tools/call').map(({ params }) => params)).toMatchObject([
      { name: 'find', arguments: { owner: 'ana' }, _meta: { 'toolturn/key': dispatched?.data.invocationId } },
    ])
    await runtime.close()
  })

  test.each([
    ['nothing', {}],
    ['a value of the wrong type', { owner: 7 }],
    ['a field too many', { owner: 'ana', colour: 'red' }],
  ])('with %s is invalid here, and the server sees no request (B32)', async (_, args) => {
    const { shop, source } = await sourceOf({ tools: [OWNED], legacy })
    const { result, runtime } = await play([source], [asks(['find', args])])
    expect(result.calls[0]).toMatchObject({ outcome: 'invalid', gate: 'arguments' })
    expect(shop.sent('tools/call')).toEqual([])
    await runtime.close()
  })

  test('that fails keeps what the server said, whatever its output schema (B98)', async () => {
    const tools = [listed('find', { outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } })]
    const call = () => ({ isError: true, content: [{ type: 'text' as const, text: 'Name the owner first.' }] })
    const { source } = await sourceOf({ tools, call, legacy })
    const { result, events, runtime } = await play([source], [asks(['find'])])
    expect(result.calls[0]).toMatchObject({ outcome: 'executed' })
    expect(recordedOf(events)[0]?.result).toEqual({ isError: true, content: [{ type: 'text', text: 'Name the owner first.' }] })
    await runtime.close()
  })

  test('whose result does not fit the output schema is an error that says so', async () => {
    const tools = [listed('find', { outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } })]
    const call = () => ({ content: [{ type: 'text' as const, text: 'x' }], structuredContent: { id: 7 } })
    const { source } = await sourceOf({ tools, call, legacy })
    const { events, runtime } = await play([source], [asks(['find'])])
    expect(recordedOf(events)[0]?.result.isError).toBe(true)
    expect(firstWords(events)).toContain('does not fit its own output schema')
    await runtime.close()
  })

  test('keeps images, sounds, links and resources as what they are', async () => {
    const content = [
      { type: 'text' as const, text: 'All kinds.' },
      { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio' as const, data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource_link' as const, uri: 'file:///a', name: 'a' },
      { type: 'resource' as const, resource: { uri: 'file:///b', text: 'b' } },
    ]
    const { source } = await sourceOf({ tools: [listed('show')], call: () => ({ content, structuredContent: { n: 1 } }), legacy })
    const { events, runtime } = await play([source], [asks(['show'])])
    expect(recordedOf(events)[0]?.result).toEqual({ content, structuredContent: { n: 1 } })
    await runtime.close()
  })

  test('that the server refuses is a result with its words, bounded, and no failure of the turn', async () => {
    const call = () => {
      throw new Error(`no such owner ${'x'.repeat(10_000)}`)
    }
    const { source } = await sourceOf({ tools: [listed('find')], call, legacy })
    const { result, events, runtime } = await play([source], [asks(['find'])])
    expect(result.state).toBe('completed')
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'returned', result: { isError: true } })
    expect(firstWords(events)).toMatch(/^The server answered with an error: no such owner/)
    expect(firstWords(events).length).toBeLessThan(2_100)
    await runtime.close()
  })

  test('that is answered with something that is no result is an error, and is not made again', async () => {
    const tamper: ShopOptions['tamper'] = message =>
      'result' in message && 'content' in message.result
        ? { ...message, result: { ...message.result, content: [{ type: 'text' }] } }
        : message
    const more = { defaults: { replayPolicy: 'read-only', tries: 3 } } as const
    const { shop, source } = await sourceOf({ tools: [listed('find')], tamper, legacy }, more)
    const { events, runtime } = await play([source], [asks(['find'])])
    expect(firstWords(events)).toContain('no result of a tool')
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })
})

describe('names', () => {
  test('of two servers that list one tool are qualified, and each gets its own calls (B13)', async () => {
    const send = (field: string) => listed('send_email', { inputSchema: { type: 'object', properties: { [field]: { type: 'string' } } } })
    const a = await sourceOf({ tools: [send('to')] }, FREE, 'a')
    const b = await sourceOf({ tools: [send('whom'), listed('other')] }, FREE, 'b')
    const rounds = [asks(['a__send_email', { to: 'x' }]), asks(['b__send_email', { whom: 'y' }]), asks(['other'])]
    const { result, runtime } = await play([a.source, b.source], [...rounds, asks(['send_email', { to: 'z' }])])
    expect(result.calls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['a__send_email', 'executed'],
      ['b__send_email', 'executed'],
      ['other', 'executed'],
      ['send_email', 'invalid'],
    ])
    expect(a.shop.sent('tools/call').map(({ params }) => params)).toMatchObject([{ name: 'send_email', arguments: { to: 'x' } }])
    expect(b.shop.sent('tools/call').map(({ params }) => params)).toMatchObject([
      { name: 'send_email', arguments: { whom: 'y' } },
      { name: 'other' },
    ])
    await runtime.close()
  })

  test("of the host's own tools stay theirs", async () => {
    const own = tool({ name: 'find', description: 'Ours.', input: { type: 'object' }, replayPolicy: 'read-only', run: () => 'ours' })
    const { shop, source } = await sourceOf({ tools: [listed('find')] })
    const { events, runtime } = await play([own, source], [asks(['find']), asks(['shop__find'])])
    expect(recordedOf(events).map(({ tool, result }) => [tool, result.content[0]?.['text']])).toEqual([
      ['find', 'ours'],
      ['shop__find', 'done'],
    ])
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })
})

describe('trust', () => {
  test('an untrusted server’s tool is held, though it calls itself harmless (B61)', async () => {
    const tools = [listed('wipe', { annotations: { readOnlyHint: true, idempotentHint: true } })]
    const { shop, source } = await sourceOf({ tools }, {})
    const { result, events, runtime } = await play([source], [asks(['wipe'])])
    expect(result).toMatchObject({ state: 'holding', calls: [{ outcome: 'held', reason: null }] })
    expect(events[0]).toMatchObject({ data: { contentTrust: 'untrusted', catalog: [{ source: 'shop', replayPolicy: 'at-most-once' }] } })
    expect(shop.sent('tools/call')).toEqual([])
    await runtime.close()
  })

  test('a trusted server’s tool runs, and leaves the turn trusted', async () => {
    const { source } = await sourceOf({ tools: [listed('send')] }, { trusted: true })
    const { result, events, runtime } = await play([source], [asks(['send']), asks(['send', { again: 1 }])])
    expect(result.calls.map(({ outcome }) => outcome)).toEqual(['executed', 'executed'])
    expect(recordedOf(events).map(({ contentTrust }) => contentTrust)).toEqual(['trusted', 'trusted'])
    await runtime.close()
  })
})
