// Goal: a call that is sent twice, given up, lost, or cut short by a close comes to one end, and its caller is told the truth.

import { afterEach, describe, expect, test } from 'vitest'
import { createDesk } from '../../adapters/mcp/server/caller-model.ts'
import { createRuntime } from '../../adapters/host.ts'
import { tool } from '../../adapters/tool.ts'
import { memory } from '../../store/memory-source.ts'
import { memoryDatabase, type MemoryDatabase } from '../../store/memory.ts'
import { KEY, mailTools, openStage, type Effects, type Stage } from './server-stage.ts'

let stage: Stage

afterEach(() => stage.close())

const READ = { name: 'read_mail', arguments: { id: 1 } }

describe('a key of the client', () => {
  const KEYED = { ...READ, _meta: { 'toolturn/key': 'k1' } }

  test('makes two calls one', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' })
    const results = await Promise.all([client.callTool(KEYED), client.callTool(KEYED)])
    expect(results[1]).toEqual(results[0])
    expect(stage.effects).toHaveLength(1)
  })

  test('with other content is a conflict', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' })
    await client.callTool(KEYED)
    await expect(client.callTool({ ...KEYED, arguments: { id: 2 } })).rejects.toMatchObject({ data: { code: 'spawn_key_conflict' } })
  })

  test('is the caller’s own: another party’s call under it is another call', async () => {
    stage = await openStage()
    const who = { name: 'ana' }
    const client = await stage.client(who)
    await client.callTool(KEYED)
    who.name = 'ben'
    await client.callTool(KEYED)
    expect(stage.effects).toHaveLength(2)
  })

  test('that is no text is refused', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' })
    await expect(client.callTool({ ...READ, _meta: { 'toolturn/key': 7 } })).rejects.toMatchObject({ code: -32602 })
  })

  test('finds a call again that was lost before it began, and begins it', async () => {
    stage = await openStage()
    await (await stage.client({ name: 'ana' })).callTool(KEYED)
    const [row] = (await stage.server.runtime.list()).turns
    const messages = (await stage.server.runtime.messages(String(row?.turnId))) as unknown as readonly { readonly text: string }[]
    await stage.close()

    // The same turn elsewhere, opened by a process that died before it made the call: nobody who finds it has the call.
    const [database, effects]: [MemoryDatabase, Effects] = [memoryDatabase(), []]
    const other = await createRuntime({ name: 'mcp', store: memory(database), model: createDesk().model, tools: mailTools(effects) })
    const { principal = null, key, labels = {} } = row ?? {}
    const input = [{ role: 'user', text: String(messages[0]?.text) }] as const
    const lost = await other.spawn({ input, principal, labels, key: String(key), tools: ['read_mail'] })
    expect(await lost.result()).toMatchObject({ state: 'failed', code: 'model_unavailable', calls: [] })
    await other.close()

    stage = await openStage({ database, effects })
    const client = await stage.client({ name: 'ana' })
    expect(await client.callTool(KEYED)).toMatchObject({ _meta: { 'toolturn/turn': lost.id, 'toolturn/outcome': 'executed' } })
    expect(effects).toHaveLength(1)
  })
})

describe('a call that is given up', () => {
  test.each(['modern', 'legacy'] as const)('by a %s client cancels its turn, and the running tool is aborted', async era => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, era === 'legacy' ? { era } : {})
    const stop = new AbortController()
    const calling = client.callTool({ name: 'wait', arguments: {} }, { signal: stop.signal })
    calling.catch(() => undefined)
    await until(() => stage.effects.length === 1)
    stop.abort()
    await expect(calling).rejects.toThrow()
    await until(async () => (await stage.server.runtime.list()).turns[0]?.state === 'cancelled')
  })
})

describe('progress', () => {
  test.each(['modern', 'legacy'] as const)('tells a %s client the words of the events, in order and before the result', async era => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, era === 'legacy' ? { era } : {})
    const told: string[] = []
    await client.callTool(READ, { onprogress: ({ progress, message }) => told.push(`${progress} ${message}`) })
    expect(told).toEqual([
      '1 turn.opened',
      '2 round.recorded',
      '3 call.admitted',
      '4 call.dispatched',
      '5 call.recorded',
      '6 round.recorded',
      '7 turn.completed',
    ])
  })
})

describe('a result', () => {
  test('over the record size comes whole while it is there, and as what was cut once it is not', async () => {
    const big = tool({ ...BIG, run: () => ({ text: 'x'.repeat(100_000) }) })
    stage = await openStage({ host: { tools: [big], key: KEY, blobs: 'store' } })
    const client = await stage.client({ name: 'ana' })
    await client.listTools()
    const call = { name: 'big', arguments: {}, _meta: { 'toolturn/key': 'k' } }
    expect((await client.callTool(call)).structuredContent).toEqual({ text: 'x'.repeat(100_000) })
    expect(await client.callTool(call)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('[truncated:') }] })
  })

  test('of blocks that the protocol does not know shows what stands there', async () => {
    const odd = tool({
      ...PLAIN,
      name: 'odd',
      run: () => ({
        content: [
          { type: 'hologram', data: 1 },
          { type: 'image', data: '%', mimeType: 'image/png' },
        ],
      }),
    })
    stage = await openStage({ host: { tools: [odd] } })
    const client = await stage.client({ name: 'ana' })
    const result = await client.callTool({ name: 'odd', arguments: {} })
    expect(result.content[0]).toEqual({ type: 'text', text: '{"type":"hologram","data":1}' })
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'text'])
  })
})

const PLAIN = { description: 'One.', input: { type: 'object' }, replayPolicy: 'read-only' } as const
const BIG = { ...PLAIN, name: 'big', output: { type: 'object', properties: { text: { type: 'string' } } } } as const

describe('the close', () => {
  test('waits for the calls under way, and takes nothing new', async () => {
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<string>()
    const slow = tool({
      ...PLAIN,
      name: 'slow',
      run: () => {
        started.resolve()
        return finish.promise
      },
    })
    stage = await openStage({ host: { tools: [slow] } })
    const client = await stage.client({ name: 'ana' }, { era: 'legacy' })
    const calling = client.callTool({ name: 'slow', arguments: {} })
    await started.promise
    const closing = stage.server.close()
    expect((await stage.send('ana', '{"jsonrpc":"2.0","id":9,"method":"ping"}')).status).toBe(503)
    finish.resolve('done')
    expect(await calling).toMatchObject({ content: [{ text: 'done' }] })
    await closing
  })
})

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 5))
}
