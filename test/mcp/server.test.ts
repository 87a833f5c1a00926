// Goal: a call over MCP goes through the whole contract: it is admitted, recorded as a turn, run at most once, and answered in the
// protocol's own shape.

import { afterEach, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './server-stage.ts'

let stage: Stage

afterEach(() => stage.close())

describe.each(['modern', 'legacy'] as const)('a call, by a client of the %s protocol', era => {
  const options = era === 'legacy' ? ({ era } as const) : {}

  test('is executed, recorded as a turn of its caller, and replayed without running anything', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    const result = await client.callTool({ name: 'read_mail', arguments: { id: 7 } })
    expect(result).toMatchObject({ structuredContent: { from: 'sender-7@example.com' }, content: [{ type: 'text' }] })
    expect(result._meta).toMatchObject({ 'toolturn/outcome': 'executed' })
    const { turns } = await stage.server.runtime.list()
    expect(turns).toMatchObject([
      { runtime: 'mcp', state: 'completed', principal: { id: 'ana' }, tools: ['read_mail'], outcomes: ['executed'] },
    ])
    const turnId = String(result._meta?.['toolturn/turn'])
    expect(turns[0]?.turnId).toBe(turnId)
    expect(await stage.server.runtime.replay(turnId)).toMatchObject({ same: true, executions: 0, modelCalls: 0 })
    expect(stage.effects).toHaveLength(1)
  })

  test('with arguments that do not fit is answered with the text that mends them, and runs nothing', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    const result = await client.callTool({ name: 'read_mail', arguments: { id: 'seven' } })
    expect(result.isError).toBe(true)
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('/id: expected') }])
    expect(result._meta).toMatchObject({ 'toolturn/outcome': 'invalid' })
    expect(stage.effects).toEqual([])
  })

  test('of a tool that is not there is the error of the protocol, with close names, and is recorded as invalid', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'ana' }, options)
    await expect(client.callTool({ name: 'readMail', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"read_mail"'),
    })
    expect((await stage.server.runtime.list()).turns).toMatchObject([{ outcomes: ['invalid'] }])
  })

  test('that nobody may approve is refused: a service acts, and what it sends is untrusted', async () => {
    stage = await openStage()
    const client = await stage.client({ name: 'robot' }, options)
    const result = await client.callTool({ name: 'send_mail', arguments: { to: 'x@example.com' } })
    expect(result).toMatchObject({ isError: true, _meta: { 'toolturn/outcome': 'refused' } })
    expect(stage.effects).toEqual([])
  })
})
