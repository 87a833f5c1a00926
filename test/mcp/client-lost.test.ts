// Goal: whatever becomes of the line, a call is never sent twice by us, ends within a bound, and says what is known of its effect.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { mcp, type McpOptions } from '../../adapters/mcp/index.ts'
import { createRuntime, scripted, type ToolSource } from '../../index.ts'
import { ANA, AS, asks, eventsOf, firstWords, play, recordedOf } from './client-stage.ts'
import { listed, openShop, type ShopOptions } from './shop.ts'
import { openWebShop, type Fate, type WebShop } from './web-shop.ts'

const open: { readonly close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})

const never = () => new Promise<never>(() => undefined)
const FREE = { defaults: { approval: 'never' } } as const satisfies Partial<McpOptions>
const READS = { defaults: { replayPolicy: 'read-only', tries: 2 } } as const satisfies Partial<McpOptions>

async function sourceOf(options: ShopOptions, more: Partial<McpOptions> = FREE) {
  const shop = openShop(options)
  const source = await mcp({ name: 'shop', transport: shop.transport, ...more })
  open.push(source)
  return { shop, source }
}

async function webOf(options: { readonly legacy?: boolean; readonly call?: ShopOptions['call'] } = {}, more: Partial<McpOptions> = FREE) {
  const call = options.call ?? (() => ({ content: [{ type: 'text' as const, text: 'done' }] }))
  const shop: WebShop = await openWebShop([listed('find')], call, options)
  const source: ToolSource = await mcp({ name: 'web', url: shop.url, ...more })
  open.push(shop, source)
  return { shop, source }
}

describe.each([false, true])('a line that is cut in the middle of a call, to a server of before 2026-07-28: %s', legacy => {
  test('ends the call, with its effect unknown, and the turn goes on (B96)', async () => {
    const { shop, source } = await sourceOf({ tools: [listed('send')], legacy, call: () => shop.cut().then(never) })
    const { result, events, runtime } = await play([source], [asks(['send'])])
    expect(result.state).toBe('completed')
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'thrown', tries: 1, result: { isError: true } })
    expect(firstWords(events)).toContain('effect is unknown')
    expect(shop.sent('tools/call').length).toBe(1)
    await runtime.close()
  })

  test('is opened anew for the next try of a tool that only reads', async () => {
    let times = 0
    const call = () => {
      times += 1
      return times === 1 ? shop.cut().then(never) : { content: [{ type: 'text' as const, text: 'found' }] }
    }
    const { shop, source } = await sourceOf({ tools: [listed('find')], legacy, call }, READS)
    const { events, runtime } = await play([source], [asks(['find'])])
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'returned', tries: 2 })
    expect(firstWords(events)).toBe('found')
    await runtime.close()
  })

  test('is opened anew while nobody calls, and the list is taken again', async () => {
    const { shop, source } = await sourceOf({ tools: [listed('find')], legacy })
    shop.down = true
    await shop.cut()
    await shop.become(listed('more'))
    shop.down = false
    await vi.waitFor(() => expect(source.list().map(tool => tool.descriptor.name)).toEqual(['more']), 20_000)
    const { result, runtime } = await play([source], [asks(['more'])])
    expect(result.calls[0]?.outcome).toBe('executed')
    await runtime.close()
  })
})

describe('a call while nobody is there', () => {
  test('says that nothing was sent, and the tools stay listed', async () => {
    const { shop, source } = await sourceOf({ tools: [listed('send')] })
    shop.down = true
    await shop.cut()
    const { events, runtime } = await play([source], [asks(['send'])])
    expect(firstWords(events)).toContain('Nothing was sent')
    expect(shop.sent('tools/call')).toEqual([])
    expect(source.list().length).toBe(1)
    await runtime.close()
  })
})

describe.each([false, true])('over HTTP, to a server of before 2026-07-28: %s', legacy => {
  test.each(['reset', 'end', 'end-resumable', 500, 404] as const satisfies readonly Fate[])(
    'a call that meets %s ends within a bound, was sent once, and says no word of the server',
    async fate => {
      const { shop, source } = await webOf({ legacy })
      shop.fate = fate
      const { result, events, runtime } = await play([source], [asks(['find'])])
      expect(result.state).toBe('completed')
      expect(recordedOf(events)[0]).toMatchObject({ ended: 'thrown', result: { isError: true } })
      expect(firstWords(events)).toContain('effect is unknown')
      expect(firstWords(events)).not.toContain('secret')
      expect(shop.calls().length).toBe(1)
      await runtime.close()
    },
    20_000,
  )

  test('the next call goes over a new connection', async () => {
    const { shop, source } = await webOf({ legacy })
    shop.fate = 'reset'
    const first = await play([source], [asks(['find'])])
    shop.fate = 'answer'
    const turn = await first.runtime.spawn({ input: 'Again.', principal: ANA })
    expect((await turn.result()).calls[0]?.outcome).toBe('executed')
    expect(shop.calls().length).toBe(2)
    await first.runtime.close()
  })
})

describe('over HTTP', () => {
  test('a list that changed is taken again', async () => {
    const { shop, source } = await webOf()
    shop.become(listed('find'), listed('more'))
    await vi.waitFor(() => expect(source.list().length).toBe(2), 20_000)
  })

  test('an answer without end is cut off', async () => {
    const call = () => ({ content: [{ type: 'text' as const, text: 'x'.repeat(34_000_000) }] })
    const { source } = await webOf({ call })
    const { events, runtime } = await play([source], [asks(['find'])])
    expect(firstWords(events)).toContain('effect is unknown')
    await runtime.close()
  })
})

describe('an abort', () => {
  test.each([
    ['before 2026-07-28', true, FREE],
    ['2026-07-28', false, FREE],
    ['2026-07-28, after a hold', false, {}],
  ])('reaches a server of %s as a notice, and the result says that the effect is unknown (B80)', async (_, legacy, more) => {
    const aborted: boolean[] = []
    const entered = Promise.withResolvers<void>()
    const call: ShopOptions['call'] = (_params, { mcpReq }) => {
      mcpReq.signal.addEventListener('abort', () => aborted.push(true))
      entered.resolve()
      return never()
    }
    const { shop, source } = await sourceOf({ tools: [listed('send')], legacy, call }, more)
    const { runtime, events } = await cancelled(source, entered.promise)
    expect(shop.sent('notifications/cancelled').length).toBe(1)
    await vi.waitFor(() => expect(aborted).toEqual([true]))
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'aborted', result: { isError: true } })
    expect(firstWords(events)).toContain('effect is unknown')
    await runtime.close()
  })

  test('over HTTP closes the request of a call', async () => {
    const entered = Promise.withResolvers<void>()
    const call = () => {
      entered.resolve()
      return never()
    }
    const { shop, source } = await webOf({ call })
    const { runtime } = await cancelled(source, entered.promise)
    await vi.waitFor(() => expect(shop.left()).toBe(1))
    await runtime.close()
  })

  test('comes with the time-out of the tool', async () => {
    const { shop, source } = await sourceOf({ tools: [listed('send')], call: never }, { defaults: { approval: 'never', timeoutMs: 50 } })
    const { events, runtime } = await play([source], [asks(['send'])])
    expect(recordedOf(events)[0]).toMatchObject({ ended: 'timeout', result: { isError: true } })
    expect(shop.sent('notifications/cancelled').length).toBe(1)
    await runtime.close()
  })

  test('leaves no listeners behind after a thousand calls (B80)', async () => {
    const { source } = await sourceOf({ tools: [listed('find')] }, READS)
    const controller = new AbortController()
    let listeners = 0
    const { signal } = controller
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...given)
    }
    const [find] = source.list()
    const context = {
      invocationId: 'i',
      dispatch: 1,
      try: 1,
      attempt: 1,
      ordinal: 1,
      turnId: 't',
      tenant: 'default',
      labels: {},
      principal: null,
    }
    for (let times = 0; times < 1_000; times += 1) await find?.run({}, { ...context, signal, log: () => undefined })
    expect(listeners).toBe(0)
  })
})

/** Plays a turn that is cancelled once the server has its call. */
async function cancelled(source: ToolSource, entered: Promise<void>) {
  const name = source.list()[0]?.descriptor.name ?? ''
  const runtime = await createRuntime({ tools: [source], model: scripted([asks([name])]) })
  const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
  for await (const event of turn.events()) {
    if (event.type === 'call.held') await runtime.approve(event.data.approvalId, AS)
    if (event.type === 'call.dispatched') break
  }
  await entered
  await runtime.cancel(turn.id, AS)
  const { version } = await turn.result()
  return { runtime, events: await eventsOf(runtime, turn.id, version) }
}
