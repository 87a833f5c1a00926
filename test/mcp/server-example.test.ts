// Goal: the MCP server that the README shows is a file that runs, and does what the README says of it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { exampleBody, sectionBlocks, writeExample } from '../docs/examples.ts'

/** An embedded database starts slowly on a machine with much to do. */
const PATIENCE = { timeout: 120_000 }

test('is what the README shows', () => {
  expect(sectionBlocks('As an MCP server', 'ts')).toEqual([exampleBody('mcp-server.ts')])
})

test('asks before it refunds, and refunds once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolturn-example-'))
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { decision: 'approve' } }
  })
  try {
    const args = [writeExample('mcp-server.ts', folder)]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }), PATIENCE)
    const result = await client.callTool({ name: 'refund', arguments: { id: '42' } }, PATIENCE)
    expect(result.content).toEqual([{ type: 'text', text: expect.stringMatching(/^refunded 42 under key [\w-]{8}…$/) }])
    expect(asked).toEqual([expect.stringContaining('"id": "42"')])
  } finally {
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 150_000)
