// Goal: what a host says of a server wrongly is refused before anything is started.

import { describe, expect, test } from 'vitest'
import { mcp, type McpOptions } from '../../adapters/mcp/index.ts'
import { listed, openShop } from './shop.ts'

const shop = openShop({ tools: [listed('find')] })
const good: McpOptions = { name: 'shop', transport: shop.transport }

const opening = (options: object) => mcp(options as McpOptions).then(source => source.close())

describe('the options of a server', () => {
  test.each([
    ['no name', { ...good, name: '' }, 'name'],
    ['a name with what names are joined by', { ...good, name: 'a__b' }, 'name'],
    ['no way to it', { name: 'shop' }, 'command'],
    ['two ways to it', { ...good, command: 'x' }, 'command'],
    ['parts of another way', { ...good, headers: {} }, 'command'],
    ['an address that is none', { name: 'shop', url: 'nowhere' }, 'url'],
    ['an address of another kind', { name: 'shop', url: 'file:///etc/passwd' }, 'url'],
    ['a header that is no text', { name: 'shop', url: 'http://127.0.0.1/', headers: { a: 1 } }, 'headers'],
    ['an argument that is no text', { name: 'shop', command: 'x', args: [1] }, 'args'],
    ['a misspelled option', { ...good, trust: true }, 'options.trust'],
    ['trust that is no yes or no', { ...good, trusted: 'yes' }, 'trusted'],
    ['a misspelled rule', { ...good, tools: { find: { aproval: 'always' } } }, 'tools.find.aproval'],
    ['a rule that is none', { ...good, tools: { find: { approval: 'perhaps' } } }, 'tools.find.approval'],
    ['a policy that is none', { ...good, defaults: { replayPolicy: 'sometimes' } }, 'defaults.replayPolicy'],
    ['a time that is none', { ...good, connectTimeoutMs: 0 }, 'connectTimeoutMs'],
    ['rules of a tool that the server does not list', { ...good, tools: { fnid: { approval: 'always' } } }, 'tools.fnid'],
  ])('with %s', async (_, options, option) => {
    await expect(opening(options)).rejects.toMatchObject({ code: 'option_invalid', details: { option } })
  })

  test('are taken where they are right', async () => {
    await opening({ ...good, trusted: true, tools: { find: { approval: () => 'never' } }, connectTimeoutMs: 5_000 })
  })
})

describe('a server that is not there', () => {
  test.each([
    ['as a program', { name: 'gone', command: '/nowhere/at/all' }, 'ENOENT'],
    ['over HTTP', { name: 'gone', url: 'http://127.0.0.1:9/' }, expect.any(String)],
    ['at all', { name: 'gone', transport: () => Promise.reject(new TypeError('secret words')) }, 'TypeError'],
    ['as one that speaks', { name: 'gone', command: process.execPath, args: ['-e', ''] }, expect.any(String)],
  ])('%s is unreachable, by its name and without its words', async (_, options, reason) => {
    const failed: unknown = await opening({ ...options, connectTimeoutMs: 10_000 }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'mcp_server_unreachable', whoseMove: 'operator', details: { server: 'gone', reason } })
    expect((failed as Error).message).not.toContain('secret')
  })

  test('and never answers is given up in time', async () => {
    const silent = { name: 'gone', command: process.execPath, args: ['-e', 'process.stdin.resume()'], connectTimeoutMs: 1_000 }
    await expect(opening(silent)).rejects.toMatchObject({ code: 'mcp_server_unreachable' })
  })
})
