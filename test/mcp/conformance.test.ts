// Goal: the server passes what the protocol's own suite asks of it, as infra/docs/mcp-conformance.md says.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, '..', '..', 'infra', 'mcp-conformance.ts')

test('the document says what the suite finds of the server', () => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--check', 'server'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
}, 300_000)
