// Goal: over HTTP nobody calls whom the host does not know, arguments arrive as they were written, and the list of tools is true.

import { request as httpRequest, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { mcpServer } from '../../adapters/mcp/index.ts'
import { argumentTexts } from '../../adapters/mcp/server/argument-text.ts'
import { tool } from '../../adapters/tool.ts'
import type { ToolSource } from '../../machines/ports/source.ts'
import { ANA, MODERN, openStage, type Stage } from './server-stage.ts'

let stage: Stage

afterEach(() => stage.close())

const ENVELOPE = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
const HEADERS = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'read_mail' }

/** A call of the modern protocol whose arguments stand there as they are written. */
function callText(given: string): string {
  const params = `{"name":"read_mail","arguments":${given},"_meta":${JSON.stringify(ENVELOPE)}}`
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
}

describe('who sends', () => {
  test('is asked of every request, and whom the host does not know is turned away', async () => {
    stage = await openStage()
    const answer = await stage.send('nobody', callText('{"id":1}'), HEADERS)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect((await stage.server.runtime.list()).turns).toEqual([])
  })

  test('may be answered by the host itself, and whatever it throws lets nobody in', async () => {
    const challenge = new Response(null, { status: 403 })
    stage = await openStage({ options: { authenticate: () => challenge } })
    expect((await stage.send('ana', callText('{"id":1}'), HEADERS)).status).toBe(403)
    await stage.close()
    stage = await openStage({
      options: {
        authenticate: () => {
          throw new Error('down')
        },
      },
    })
    expect((await stage.send('ana', callText('{"id":1}'), HEADERS)).status).toBe(500)
  })

  test('cannot take over the session of another party', async () => {
    stage = await openStage()
    const who = { name: 'ana' }
    const client = await stage.client(who, { era: 'legacy' })
    who.name = 'ben'
    await expect(client.listTools()).rejects.toThrow(/Session not found/)
    who.name = 'ana'
    expect((await client.listTools()).tools).toHaveLength(4)
  })

  test('is not a page of another site, nor a request under another host name', async () => {
    stage = await openStage({ options: { hosts: ['localhost'] } })
    const status = async (given: Record<string, string>) => (await stage.send('ana', callText('{"id":1}'), { ...HEADERS, ...given })).status
    expect(await status({ host: 'localhost:3000', origin: 'http://evil.example.com' })).toBe(403)
    expect(await status({ host: 'evil.example.com', origin: 'http://localhost:3000' })).toBe(403)
    expect(await status({ host: 'localhost:3000', origin: 'http://localhost:3000' })).toBe(200)
    expect(await status({ host: 'localhost:3000' })).toBe(200)
  })

  test('can resolve nothing with a GET', async () => {
    stage = await openStage()
    const answer = await stage.server.fetch(new Request('http://localhost/mcp?decision=approve', { headers: { authorization: 'ana' } }))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await stage.server.runtime.list()).turns).toEqual([])
  })
})

describe('arguments', () => {
  test.each([
    ['two keys of one name', '{"id":1,"id":2}', 'same key twice'],
    ['a number that no double keeps', '{"id":12345678901234567890}', 'cannot be kept exactly'],
  ])('with %s are refused, although what parsed the message saw nothing of it', async (_what, given, says) => {
    stage = await openStage()
    const answer = await stage.send('ana', callText(given), HEADERS)
    const { result } = (await answer.json()) as { result: { isError: boolean; content: unknown } }
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain(says)
    expect(stage.effects).toEqual([])
  })

  test('are found in a message as they stand, whatever stands around them', () => {
    const text = String.raw`[{"id":"a","method":"tools/call","params":{"arguments" : {"b":[1,"}\""]} , "name":"x"}},{"id":2,"method":"ping"},
      {"method":"tools\/call","params":{"name":"{\"arguments\":1}","argument\u0073":{}},"id":3},{"id":4,"method":"tools/call","params":{"name":"y"}}]`
    expect(argumentTexts(text)).toEqual(
      new Map<string | number, string>([
        ['a', String.raw`{"b":[1,"}\""]}`],
        [3, '{}'],
      ]),
    )
  })

  test('may be left out', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' })
    const result = await client.callTool({ name: 'read_mail' })
    expect(JSON.stringify(result.content)).toContain('expected the property')
  })

  test('that are no JSON, or too much of it, are answered and go no further', async () => {
    stage = await openStage()
    expect((await stage.send('ana', '{"jsonrpc":')).status).toBe(400)
    expect((await stage.send('ana', `"${'x'.repeat(5_000_000)}"`)).status).toBe(413)
  })
})

describe('the list', () => {
  test('describes each tool, and calls only what reads harmless', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['read_mail', 'send_mail', 'ask_user', 'wait'])
    expect(tools[0]).toMatchObject({
      inputSchema: { type: 'object', required: ['id'] },
      outputSchema: { type: 'object', required: ['from'] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      _meta: { 'toolturn/replayPolicy': 'read-only' },
    })
    expect(tools[1]?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: false })
  })

  test('comes in pages, and leaves out what cannot be called', async () => {
    const many = Array.from({ length: 250 }, (_, index) => simple(`tool_${index}`))
    const broken = tool({
      ...OPTIONS,
      name: 'broken',
      input: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
    })
    stage = await openStage({ host: { tools: [broken, ...many] } })
    const client = await stage.client({ name: 'ana' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(many.map(({ descriptor }) => descriptor.name))
    const [first, second] = [await client.listTools({}), await client.listTools({ cursor: Buffer.from('tool_99').toString('base64url') })]
    expect(first.tools.length).toBeGreaterThan(0)
    expect(second.tools[0]?.name).toBe('tool_100')
    await expect(client.listTools({ cursor: 'bm9uZQ' })).rejects.toMatchObject({ code: -32602 })
  })

  test.each(['modern', 'legacy'] as const)('is told to %s clients when it changes, and what is not on it is not called', async era => {
    stage = await openStage({ options: { offer: ['read_mail', 'wait'] } })
    const told = Promise.withResolvers<readonly string[]>()
    const listChanged = {
      tools: {
        onChanged: (_error: unknown, tools: readonly { name: string }[] | null) => told.resolve((tools ?? []).map(each => each.name)),
      },
    }
    const client = await stage.client({ name: 'ana' }, { listChanged, ...(era === 'legacy' ? { era } : {}) })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read_mail', 'wait'])
    stage.server.offer(['wait'])
    expect(await told.promise).toEqual(['wait'])
    await expect(client.callTool({ name: 'read_mail', arguments: { id: 1 } })).rejects.toMatchObject({ code: -32602 })
    expect(stage.effects).toEqual([])
  })

  test('follows a source of tools', async () => {
    let listed = [simple('one')]
    let change = () => {}
    const source: ToolSource = {
      name: 'shop',
      list: () => listed,
      changed: listener => {
        const before = change
        change = () => {
          before()
          listener()
        }
        return () => {}
      },
      close: async () => {},
    }
    stage = await openStage({ host: { tools: [source] } })
    const told = Promise.withResolvers<void>()
    const client = await stage.client({ name: 'ana' }, { listChanged: { tools: { onChanged: () => told.resolve() } } })
    listed = [...listed, simple('two')]
    change()
    await told.promise
    expect(await client.callTool({ name: 'two', arguments: {} })).toMatchObject({ content: [{ text: 'two' }] })
  })
})

const OPTIONS = { description: 'One.', replayPolicy: 'read-only', run: () => 'ran' } as const

function simple(name: string) {
  return tool({ ...OPTIONS, name, input: { type: 'object' }, run: () => name })
}

describe('over node:http', () => {
  let listening: Server
  afterEach(() => new Promise(resolve => listening.close(resolve)))

  test('a client calls, and the text of its arguments is at hand as well', async () => {
    stage = await openStage()
    const server = await mcpServer({ tools: [simple('one')] }, { name: 'one', version: '1', authenticate: () => ({ principal: ANA }) })
    listening = createServer((request, response) => void server.node(request, response))
    await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve))
    const url = new URL(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`)
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } })
    await client.connect(new StreamableHTTPClientTransport(url))
    expect(await client.callTool({ name: 'one', arguments: {} })).toMatchObject({ content: [{ text: 'one' }] })
    await client.close()
    const text = await post(url, callText('{"a":1,"a":2}').replaceAll('read_mail', 'one'))
    expect(text).toContain('same key twice')
    await server.close()
  })
})

function post(url: URL, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { ...HEADERS, 'mcp-name': 'one', 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = httpRequest(url, { method: 'POST', headers }, response => {
    let text = ''
    response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    response.on('end', () => resolve(text))
  })
  request.on('error', reject)
  request.end(body)
  return promise
}
