// Goal: what a host configures wrongly is refused before anything is opened.

import { describe, expect, test } from 'vitest'
import { mcpServer } from '../../adapters/mcp/server/server.ts'
import { openStage, ANA } from './server-stage.ts'

const OPTIONS = { name: 'mail', version: '1', authenticate: () => ({ principal: ANA }) }

describe('a host', () => {
  test.each([
    ['a model of its own', { model: {} }, 'host.model'],
    ['a switch that would leave calls undriven', { drive: false }, 'host.drive'],
    ['one round, in which no result is read', { limits: { rounds: 1 } }, 'limits.rounds'],
    ['a detector that would hide the names of calls', { redact: { detectors: ['[A-Za-z0-9_-]{40,}'] } }, 'redact.detectors'],
    ['a key of another length', { key: new Uint8Array(16) }, 'key'],
  ])('with %s is refused', async (_what, host, option) => {
    await expect(mcpServer(host as object, OPTIONS)).rejects.toMatchObject({ code: 'option_invalid', details: { option } })
  })

  test.each([
    ['without a way to know who calls', { authenticate: undefined }, 'authenticate'],
    ['under no name', { name: '' }, 'name'],
    ['with a misspelled option', { origin: [] }, 'options.origin'],
  ])('%s is refused', async (_what, more, option) => {
    await expect(mcpServer({}, { ...OPTIONS, ...more } as never)).rejects.toMatchObject({ code: 'option_invalid', details: { option } })
  })
})

test.each([{}, { principal: { id: 'ana' } }, { principal: ANA, tenant: 'a b' }, { principal: ANA, contentTrust: 'much' }])(
  'a caller %j is none, and is not let in',
  async caller => {
    const stage = await openStage({ options: { authenticate: () => caller as never } })
    expect((await stage.send('ana', '{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(500)
    await stage.close()
  },
)
