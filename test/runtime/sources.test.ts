// Goal: tools that come and go while a runtime runs change nothing for a turn that is open but what may still be dispatched.

import { describe, expect, test } from 'vitest'
import { createRuntime, memory, scripted, tool, ToolturnError, type Model, type Tool } from '../../index.ts'
import type { Store } from '../../machines/ports/store.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'
import { heldSource } from './source.ts'

const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
const AS = { as: ANA, via: 'app' } as const

const call = (name: string) => ({ stop: 'tool_calls', content: [{ call: { id: `c-${name}`, name, arguments: {} } }] })
const end = { stop: 'end', content: [{ text: 'Done.' }] }

/** A tool that says who ran, and keeps count. */
function counted(name: string, says: string, more: Partial<Parameters<typeof tool>[0]> = {}): Tool & { readonly runs: () => number } {
  let runs = 0
  const made = tool({
    name,
    description: says,
    input: { type: 'object' },
    replayPolicy: 'at-most-once',
    approval: 'never',
    ...more,
    run: () => {
      runs += 1
      return says
    },
  })
  return { ...made, runs: () => runs }
}

/** A model that keeps the names it was offered in each round. */
function watching(model: Model) {
  const offers: string[][] = []
  const watched: Model = {
    ...model,
    ask: (request, context) => {
      offers.push(request.tools.map(({ name }) => name))
      return model.ask(request, context)
    },
  }
  return { model: watched, offers }
}

describe('a turn', () => {
  test('offers what the source has when it opens, and goes on offering that', async () => {
    const source = heldSource('shop', counted('find', 'one'))
    const grows = counted('grow', 'grows', {})
    const { model, offers } = watching(scripted([call('grow'), end]))
    const growing: Tool = { ...grows, run: () => source.become(counted('find', 'one'), counted('more', 'two')) }
    const runtime = await createRuntime({ tools: [growing, source], model })
    await (await runtime.spawn({ input: 'Go.', principal: ANA })).result()
    await (await runtime.spawn({ input: 'Go.', principal: ANA })).result()
    expect(offers).toEqual([
      ['grow', 'find'],
      ['grow', 'find'],
      ['grow', 'find', 'more'],
      ['grow', 'find', 'more'],
    ])
    await runtime.close()
  })

  test.each([
    ['revoked', () => []],
    ['schema-changed', () => [counted('send', 'other words')]],
  ] as const)('that is held meanwhile is refused as %s after the approval', async (reason, next) => {
    const send = counted('send', 'sent', { approval: 'always' })
    const source = heldSource('mail', send)
    const runtime = await createRuntime({ tools: [source], model: scripted([call('send'), end]) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    const [held] = (await turn.result()).calls
    source.become(...next())
    await runtime.approve(held?.approvalId ?? '', AS)
    const { calls } = await turn.result()
    expect(calls[0]).toMatchObject({ outcome: 'refused', reason })
    expect(send.runs()).toBe(0)
    await runtime.close()
  })

  test('never has its call run by another source that has the name by then', async () => {
    const [mine, theirs] = [counted('send', 'sent', { approval: 'always' }), counted('send', 'sent', { approval: 'always' })]
    const [one, other] = [heldSource('one', mine), heldSource('other')]
    const runtime = await createRuntime({ tools: [one, other], model: scripted([call('send'), end]) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    const [held] = (await turn.result()).calls
    one.become()
    other.become(theirs)
    await runtime.approve(held?.approvalId ?? '', AS)
    const { calls } = await turn.result()
    expect(calls[0]).toMatchObject({ tool: 'send', outcome: 'refused', reason: 'schema-changed' })
    expect([mine.runs(), theirs.runs()]).toEqual([0, 0])
    await runtime.close()
  })

  test.each(['at-most-once', 'idempotent'] as const)(
    'is refused a call whose %s tool changed while the policy was asked',
    async replayPolicy => {
      const send = counted('send', 'sent', { replayPolicy })
      const source = heldSource('mail', send)
      const policy = async () => {
        source.become(counted('send', 'other words'))
        return 'allow' as const
      }
      const runtime = await createRuntime({ tools: [source], policy, model: scripted([call('send'), end]) })
      const { calls } = await (await runtime.spawn({ input: 'Go.', principal: ANA })).result()
      expect(calls[0]).toMatchObject({ outcome: 'refused', reason: 'schema-changed' })
      expect(send.runs()).toBe(0)
      await runtime.close()
    },
  )

  test('runs what was judged when the tool changes behind the intent', async () => {
    const [judged, later] = [counted('send', 'sent'), counted('send', 'other words')]
    const source = heldSource('mail', judged)
    const database = memoryDatabase()
    const open = async (): Promise<Store> => {
      const store = openMemory(database)
      return {
        ...store,
        append: async append => {
          if (append.events.some(({ type }) => type === 'call.dispatched')) source.become(later)
          return store.append(append)
        },
      }
    }
    const runtime = await createRuntime({ store: { kind: 'memory', open }, tools: [source], model: scripted([call('send'), end]) })
    const { calls } = await (await runtime.spawn({ input: 'Go.', principal: ANA })).result()
    expect(calls[0]).toMatchObject({ outcome: 'executed' })
    expect([judged.runs(), later.runs()]).toEqual([1, 0])
    await runtime.close()
  })

  test('finds its tool by the qualified name in a process where the plain one is free', async () => {
    const database = memoryDatabase()
    const send = () => counted('send', 'sent', { approval: 'always' })
    const model = scripted([call('mail__send'), end])
    const web = await createRuntime({
      store: memory(database),
      tools: [heldSource('mail', send()), heldSource('post', send())],
      model,
      drive: false,
    })
    const turn = await web.spawn({ input: 'Go.', principal: ANA, tools: ['mail__send'] })
    const alone = send()
    const worker = await createRuntime({ store: memory(database), tools: [heldSource('mail', alone)], model })
    const [held] = (await turn.result()).calls
    await worker.approve(held?.approvalId ?? '', AS)
    const { calls } = await turn.result()
    expect(calls[0]).toMatchObject({ tool: 'mail__send', outcome: 'executed' })
    expect(alone.runs()).toBe(1)
    await worker.close()
    await web.close()
  })

  test('is driven to its end by a process whose source does not have the tool any more', async () => {
    const database = memoryDatabase()
    const model = scripted([call('send'), end])
    const web = await createRuntime({ store: memory(database), tools: [heldSource('mail', counted('send', 'sent'))], model, drive: false })
    const turn = await web.spawn({ input: 'Go.', principal: ANA })
    const worker = await createRuntime({ store: memory(database), tools: [heldSource('mail')], model })
    const { state, calls } = await turn.result()
    expect({ state, reason: calls[0]?.reason }).toEqual({ state: 'completed', reason: 'revoked' })
    await worker.close()
    await web.close()
  })
})

describe('two spawns of one key', () => {
  test('are one turn whatever the source lists by then', async () => {
    const source = heldSource('shop', counted('find', 'one'))
    const runtime = await createRuntime({ tools: [source], model: scripted([end]) })
    const first = await runtime.spawn({ input: 'Go.', principal: ANA, key: 'k' })
    source.become()
    const second = await runtime.spawn({ input: 'Go.', principal: ANA, key: 'k' })
    expect(second).toMatchObject({ id: first.id, existing: true })
    await runtime.close()
  })

  test('that name other tools are a conflict', async () => {
    const source = heldSource('shop', counted('find', 'one'), counted('more', 'two'))
    const runtime = await createRuntime({ tools: [source], model: scripted([end]) })
    await runtime.spawn({ input: 'Go.', principal: ANA, key: 'k', tools: ['find'] })
    const second = runtime.spawn({ input: 'Go.', principal: ANA, key: 'k', tools: ['find', 'more'] })
    await expect(second).rejects.toMatchObject({ code: 'spawn_key_conflict' })
    await runtime.close()
  })
})

describe('words that are not trusted', () => {
  const opened = async (...tools: readonly Tool[]) => {
    const runtime = await createRuntime({ tools: [heldSource('shop', ...tools)], model: scripted([end]) })
    const turn = await runtime.spawn({ input: 'Go.', principal: ANA })
    await turn.result()
    for await (const event of turn.events()) if (event.type === 'turn.opened') return runtime.close().then(() => event.data)
    throw new Error('no turn was opened')
  }

  test('make a turn untrusted from the start when they describe a tool that it offers', async () => {
    expect((await opened(counted('find', 'one'))).contentTrust).toBe('trusted')
    expect((await opened({ ...counted('find', 'one'), descriptionTrust: 'untrusted' })).contentTrust).toBe('untrusted')
  })

  test('do nothing where the tool is not shown', async () => {
    const hostile = counted('find', 'one', { input: { $ref: 'https://example.com/schema.json' } })
    const { catalog, contentTrust } = await opened({ ...hostile, descriptionTrust: 'untrusted' })
    expect(catalog[0]).toMatchObject({ source: 'shop', quarantined: expect.any(String) })
    expect(contentTrust).toBe('trusted')
  })
})

describe('a runtime', () => {
  test('closes its sources with itself', async () => {
    const source = heldSource('shop')
    const runtime = await createRuntime({ tools: [source], model: scripted([end]) })
    await runtime.close()
    expect(source.isClosed()).toBe(true)
  })

  test('closes its sources when it cannot start', async () => {
    const source = heldSource('shop')
    const open = () => Promise.reject(new ToolturnError('store_unreachable', ''))
    const failed = createRuntime({ store: { kind: 'postgres', open }, tools: [source], drive: false })
    await expect(failed).rejects.toMatchObject({ code: 'store_unreachable' })
    expect(source.isClosed()).toBe(true)
  })

  test.each([
    ['two sources of one name', [heldSource('shop'), heldSource('shop')], 'tool_name_duplicate'],
    ['a source whose name holds what names are joined by', [heldSource('my__shop')], 'option_invalid'],
    ['a source that ends in a `_`', [heldSource('shop_')], 'option_invalid'],
    ["a tool of the host's own that names a source", [{ ...counted('find', 'one'), descriptor: descriptorOf('shop') }], 'option_invalid'],
  ])('turns away %s', async (_, tools, code) => {
    const failed = await createRuntime({ tools, drive: false }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ToolturnError)
    expect(failed).toMatchObject({ code })
  })

  test('leaves out a tool of a source that is of no right form, and keeps the others', async () => {
    const odd = { ...counted('odd', 'one'), descriptor: { ...counted('odd', 'one').descriptor, approval: 'perhaps' } } as unknown as Tool
    const { model, offers } = watching(scripted([end]))
    const runtime = await createRuntime({ tools: [heldSource('shop', odd, counted('find', 'one'))], model })
    await (await runtime.spawn({ input: 'Go.', principal: ANA })).result()
    expect(offers).toEqual([['find']])
    await runtime.close()
  })
})

function descriptorOf(source: string): Tool['descriptor'] {
  return { ...counted('find', 'one').descriptor, source }
}
