// Goal: a list that changed is for turns to come; in a turn that is open it only says what may not be dispatched any more (B100).

import { afterEach, expect, test, vi } from 'vitest'
import { mcp } from '../../adapters/mcp/index.ts'
import { createRuntime, scripted, type ToolSource } from '../../index.ts'
import { ANA, AS, asks, ends, eventsOf } from './client-stage.ts'
import { listed, openShop } from './shop.ts'

const open: ToolSource[] = []
afterEach(async () => {
  for (const source of open.splice(0)) await source.close()
})

const takes = (field: string) =>
  listed('send', {
    inputSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field], additionalProperties: false },
  })

async function shopOf(legacy: boolean) {
  const shop = openShop({ tools: [takes('to')], legacy })
  const source = await mcp({ name: 'shop', transport: shop.transport, defaults: { approval: 'always' } })
  open.push(source)
  const become = async (tool: ReturnType<typeof listed>) => {
    const before = source.list()
    await shop.become(tool)
    await vi.waitFor(() => expect(source.list()).not.toBe(before), 20_000)
  }
  return { shop, source, become }
}

test.each([false, true])('a call that is held while its field is renamed is refused when it is approved (legacy: %s)', async legacy => {
  const { shop, source, become } = await shopOf(legacy)
  const runtime = await createRuntime({ tools: [source], model: scripted([asks(['send', { to: 'ana' }]), ends]) })
  const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
  const [held] = (await turn.result()).calls
  await become(takes('whom'))
  await runtime.approve(held?.approvalId ?? '', AS)
  const { calls, version } = await turn.result()
  expect(calls[0]).toMatchObject({ outcome: 'refused', reason: 'schema-changed' })
  expect(shop.sent('tools/call')).toEqual([])

  const events = await eventsOf(runtime, turn.id, version)
  const opened = events.find(event => event.type === 'turn.opened')
  const hold = events.find(event => event.type === 'call.held')
  expect(hold?.data.descriptor).toBe(opened?.data.catalog[0]?.version)
  await runtime.close()
})

test('a turn that opens after the change is shown the new list, and its record names the new version', async () => {
  const { source, become } = await shopOf(false)
  const runtime = await createRuntime({ tools: [source], model: scripted([ends]) })
  const first = await runtime.spawn({ input: 'Go.', principal: ANA })
  await first.result()
  await become(takes('whom'))
  const second = await runtime.spawn({ input: 'Go.', principal: ANA })
  await second.result()
  const [one] = await eventsOf(runtime, first.id, 1)
  const [other] = await eventsOf(runtime, second.id, 1)
  const catalogs = [one, other].map(event => (event?.type === 'turn.opened' ? event.data.catalog : []))
  expect(catalogs.map(([tool]) => tool?.inputSchema)).toMatchObject([{ required: ['to'] }, { required: ['whom'] }])
  expect(catalogs[0]?.[0]?.version).not.toBe(catalogs[1]?.[0]?.version)
  await runtime.close()
})

test('a result is held against the output schema that its turn was opened with, until the tool changes', async () => {
  const withOutput = listed('read', { outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } })
  const shop = openShop({ tools: [withOutput], call: () => ({ content: [{ type: 'text', text: 'plain' }] }) })
  const source = await mcp({ name: 'shop', transport: shop.transport, defaults: { approval: 'never' } })
  open.push(source)
  const runtime = await createRuntime({ tools: [source], model: scripted([asks(['read']), ends]) })
  const isError = async () => {
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    const { version } = await turn.result()
    const recorded = (await eventsOf(runtime, turn.id, version)).find(event => event.type === 'call.recorded')
    return recorded?.data.result.isError === true
  }
  expect(await isError()).toBe(true)
  await shop.become(listed('read'))
  await vi.waitFor(() => expect(source.list()[0]?.descriptor.outputSchema).toBeUndefined(), 20_000)
  expect(await isError()).toBe(false)
  await runtime.close()
})
