// An MCP server on stdin and stdout over an embedded store, to be killed: `node server-child.ts <folder>`. What its tools did is written
// down before they return. In its first life `slow_write` never does.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mcpServer } from '../../adapters/mcp/index.ts'
import { tool } from '../../adapters/tool.ts'
import { embedded } from '../../store/embedded.ts'
import { ANA, KEY } from './server-stage.ts'

const [folder = ''] = process.argv.slice(2)
const file = join(folder, 'effects')
const INPUT = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } as const

function did(name: string, invocationId: string): number {
  appendFileSync(file, `${name} ${invocationId}\n`)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith(name)).length
}

const server = await mcpServer(
  {
    store: embedded(join(folder, 'store')),
    key: KEY,
    tools: [
      tool({
        name: 'send_mail',
        description: 'Send one mail.',
        input: INPUT,
        replayPolicy: 'at-most-once',
        run: ({ to }, call) => `sent to ${to}, ${did('send_mail', call.invocationId)} in all`,
      }),
      tool({
        name: 'slow_write',
        description: 'Write slowly.',
        input: INPUT,
        replayPolicy: 'idempotent',
        approval: 'never',
        run: (_args, call) => {
          const firstLife = !existsSync(file)
          did('slow_write', call.invocationId)
          return firstLife ? new Promise(() => {}) : 'written'
        },
      }),
    ],
  },
  { name: 'mail', version: '1.0.0', authenticate: () => ({ principal: ANA }) },
)
await server.stdio()
await server.close()
