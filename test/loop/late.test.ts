// Goal: of a completion that comes too late the record keeps the digest of what would have been recorded, so nothing of a secret in it.

import { expect, test } from 'vitest'
import { createRuntime } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import { tool } from '../../adapters/tool.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const OUTPUT = { type: 'object', properties: { token: { type: 'string', writeOnly: true } } } as const

test('the same result has the same digest in time and late', async () => {
  const [mayEnd, isLate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const issue = tool({
    name: 'issue',
    description: 'Issues a token.',
    input: { type: 'object', properties: { late: { type: 'boolean' } } },
    output: OUTPUT,
    replayPolicy: 'idempotent',
    approval: 'never',
    timeoutMs: 100,
    tries: 1,
    run: async ({ late }) => {
      if (late === true) await mayEnd.promise
      return { structuredContent: { token: 'a-token-of-ana' } }
    },
  })
  const wait = tool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    replayPolicy: 'read-only',
    timeoutMs: 60_000,
    run: () => {
      mayEnd.resolve()
      return isLate.promise.then(() => 'waited')
    },
  })
  const calls = [
    { call: { name: 'issue', arguments: { late: false } } },
    { call: { name: 'issue', arguments: { late: true } } },
    { call: { name: 'wait', arguments: {} } },
  ]
  const model = scripted([
    { stop: 'tool_calls', content: calls },
    { stop: 'end', content: [{ text: 'Done.' }] },
  ])
  const runtime = await createRuntime({ model, tools: [issue, wait] })
  try {
    const turn = await runtime.spawn({ input: 'Issue two tokens.', principal: ANA })
    const digests: (readonly [type: string, digest: string])[] = []
    for await (const { type, data } of turn.events()) {
      if (type === 'call.recorded' || type === 'call.late') digests.push([type, data.digest])
      if (type === 'call.late') isLate.resolve()
    }
    const [inTime] = digests
    expect(digests.filter(([type]) => type === 'call.late')).toEqual([['call.late', inTime?.[1]]])
    expect(JSON.stringify(await runtime.show(turn.id))).not.toContain('a-token-of-ana')
  } finally {
    await runtime.close()
  }
})
