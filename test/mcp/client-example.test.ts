// Goal: the turn with a server's tools that the README shows is a file that runs, and prints what stands below it.

import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { exampleBody, runExample, sectionBlocks } from '../docs/examples.ts'

const BIN = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

test('is what the README shows, and prints what it says', async () => {
  expect(sectionBlocks('MCP tools', 'ts')).toEqual([exampleBody('mcp.ts')])
  const { stdout, stderr } = await runExample('mcp.ts', { ...process.env, PATH: [BIN, process.env['PATH']].join(delimiter) })
  expect(stderr).toBe('')
  expect([stdout]).toEqual(sectionBlocks('MCP tools', 'text'))
}, 120_000)
