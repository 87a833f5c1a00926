// Goal: over stdio a client is served like over HTTP, and what waits or runs when the process is killed is gone on with by the next one.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, test } from 'vitest'
import { mcpServer } from '../../adapters/mcp/index.ts'
import { ANA, mailTools, MODERN, type Effects } from './server-stage.ts'

// An embedded database starts slowly on a machine with much to do.
const PATIENCE = { timeout: 240_000 }

describe('a process that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-mcp-'))
  const started: Client[] = []

  afterAll(async () => {
    await Promise.all(started.map(client => client.close()))
    rmSync(folder, { recursive: true, force: true })
  })

  const effects = (tool: string) => {
    const lines = existsSync(join(folder, 'effects')) ? readFileSync(join(folder, 'effects'), 'utf8').trim().split('\n') : []
    return lines.filter(line => line.startsWith(tool))
  }

  async function start() {
    const args = [join(import.meta.dirname, 'server-child.ts'), folder]
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' })
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: MODERN } }, capabilities: { elicitation: {} } },
    )
    await client.connect(transport, PATIENCE)
    started.push(client)
    const gone = Promise.withResolvers<void>()
    client.onclose = () => gone.resolve()
    return {
      client,
      kill: async () => {
        process.kill(transport.pid ?? 0, 'SIGKILL')
        await gone.promise
      },
    }
  }

  test('leaves its question good and its running call to the next process, which runs each as it may', async () => {
    const first = await start()
    const write = { name: 'send_mail', arguments: { to: 'x@example.com' } }
    const question = (await first.client.callTool(write, { ...PATIENCE, allowInputRequired: true })) as unknown as { requestState: string }
    expect(question).toMatchObject({ resultType: 'input_required' })
    const slow = { name: 'slow_write', arguments: { to: 'disk' }, _meta: { 'toolturn/key': 'k1' } }
    const lost = first.client.callTool(slow, PATIENCE)
    lost.catch(() => undefined)
    while (effects('slow_write').length === 0) await new Promise(resolve => setTimeout(resolve, 10))
    await first.kill()
    await expect(lost).rejects.toThrow()

    const { client } = await start()
    const inputResponses = { question: { action: 'accept', content: { decision: 'approve' } } }
    const retry = { ...write, requestState: question.requestState, inputResponses }
    const sent = { content: [{ text: 'sent to x@example.com, 1 in all' }] }
    expect(await client.callTool(retry, PATIENCE)).toMatchObject(sent)
    expect(await client.callTool(retry, PATIENCE)).toMatchObject(sent)
    expect(effects('send_mail')).toHaveLength(1)

    expect(await client.callTool(slow, PATIENCE)).toMatchObject({ content: [{ text: 'written' }] })
    const [before, after] = effects('slow_write')
    expect(after).toBe(before)
  }, 300_000)
})

describe('lines', () => {
  test('carry the text of arguments as it was written', async () => {
    const effects: Effects = []
    const server = await mcpServer(
      { tools: mailTools(effects) },
      { name: 'mail', version: '1', authenticate: request => (request === null ? { principal: ANA } : null) },
    )
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = server.stdio({ input, output })
    const meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
    const params = `{"name":"read_mail","arguments":{"id":1,"id":2},"_meta":${JSON.stringify(meta)}}`
    const line = `{"jsonrpc":"2.0","id":"ä","method":"tools/call","params":${params}}\n`
    // In pieces, so that a character and a line are each cut.
    const bytes = Buffer.from(line)
    for (let at = 0; at < bytes.length; at += 7) input.write(bytes.subarray(at, at + 7))
    const [answer] = await once(output)
    expect(answer).toMatchObject({ id: 'ä', result: { isError: true } })
    expect(JSON.stringify(answer)).toContain('same key twice')
    expect(effects).toEqual([])
    input.end()
    await serving
    await server.close()
  })

  test('of a host that names no caller are not served', async () => {
    const server = await mcpServer({}, { name: 'mail', version: '1', authenticate: () => null })
    await expect(server.stdio({ input: new PassThrough(), output: new PassThrough() })).rejects.toMatchObject({ code: 'option_invalid' })
    await server.close()
  })
})

async function once(output: PassThrough): Promise<readonly unknown[]> {
  const { promise, resolve } = Promise.withResolvers<readonly unknown[]>()
  let text = ''
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    if (text.endsWith('\n'))
      resolve(
        text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as unknown),
      )
  })
  return promise
}
