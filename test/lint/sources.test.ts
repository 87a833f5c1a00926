// Goal: the tools of a source, an MCP server for one, are linted like any others.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadCatalog } from '../../adapters/lint/catalog/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolturn-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a source in a module stands for what it lists', async () => {
  const file = join(folder, 'tools.mjs')
  const one = (name: string) => ({ name, description: 'Does something.', inputSchema: { type: 'object' } })
  writeFileSync(
    file,
    `export const tools = [${JSON.stringify(one('own'))}, { name: 'shop', list: () => [${JSON.stringify(one('find'))}] }]`,
  )
  expect(await loadCatalog(file)).toEqual([one('own'), one('find')])
})
