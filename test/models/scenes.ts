// Whole turns over the wire: the real runtime, the adapter, the provider's own client. What is sent is compared, byte by byte, with
// bodies that are kept; with REWRITE_GOLDEN=1 those are written anew.

import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRuntime, type HostOptions } from '../../adapters/host.ts'
import { tool } from '../../adapters/tool.ts'
import type { SpawnOptions } from '../../machines/runtime/api.ts'
import { expectGolden } from '../golden/compare.ts'
import { survives, type Driver, type Said } from './driver.ts'
import { openWire, type Answer, type Wire } from './wire.ts'

export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const

const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false } as const

/** What ran, by name: cleared for each turn. */
export const ran: string[] = []

const TOOLS = [
  tool({
    ...{ name: 'find_order', description: 'Finds one order by its id.', input, replayPolicy: 'read-only' },
    run: ({ id }) => {
      ran.push('find_order')
      return { structuredContent: { id, paid: 24 } }
    },
  }),
  tool({
    ...{ name: 'refund', description: 'Refunds one order.', input, replayPolicy: 'at-most-once', approval: 'always' },
    run: ({ id }) => {
      ran.push('refund')
      return `refunded ${id}`
    },
  }),
  tool({
    ...{ name: 'break_order', description: 'Breaks one order.', input, replayPolicy: 'idempotent', approval: 'never' },
    run: () => {
      ran.push('break_order')
      throw new Error('it is broken already')
    },
  }),
  tool({ ...{ name: 'cancel_order', description: 'Cancels one order.', input, replayPolicy: 'idempotent' }, run: () => 'cancelled' }),
] as const

export const OPTIONS: HostOptions = {
  tools: TOOLS,
  system: 'You work in a shop.',
  policy: ({ tool: name }) => (name === 'cancel_order' ? { decision: 'deny', reason: 'Orders are cancelled by people.' } : 'allow'),
}

const call = (id: string, name: string, args: string) => ({ id, name, arguments: args })
const DONE: Said = { text: 'Done.', stop: 'end' }

type Scene = {
  readonly says: readonly Said[]
  readonly spawn?: Partial<SpawnOptions>
  readonly ends: { readonly state: string; readonly code?: string }
  readonly runs: readonly string[]
}

const SCENES: Readonly<Record<string, Scene>> = {
  'parallel-calls-of-every-outcome': {
    says: [
      {
        text: 'I will look.',
        calls: [
          call('p1', 'find_order', '{"id": "42"}'),
          call('p2', 'find_order', '{"id": 1234567890123456789}'),
          call('p3', 'lookup', '{"id": "42"}'),
          call('p4', 'cancel_order', '{"id": "42"}'),
          call('p5', 'break_order', '{"id": "42"}'),
          call('p6', 'find_order', '{"id": "43"} '),
        ],
        stop: 'calls',
      },
      DONE,
    ],
    ends: { state: 'completed' },
    runs: ['find_order', 'break_order', 'find_order'],
  },
  'held-then-approved': {
    says: [
      { text: 'Looking.', calls: [call('p1', 'find_order', '{"id":"42"}'), call('p2', 'refund', '{"id":"42"}')], stop: 'calls' },
      DONE,
    ],
    ends: { state: 'completed' },
    runs: ['find_order', 'refund'],
  },
  'refused': {
    says: [{ text: 'No.', calls: [call('p1', 'break_order', '{"id":"42"}')], stop: 'refusal' }],
    ends: { state: 'refused' },
    runs: [],
  },
  'truncated-then-whole': {
    says: [{ text: 'I', calls: [call('p1', 'break_order', '{"id":"42"}')], stop: 'length' }, DONE],
    ends: { state: 'completed' },
    runs: [],
  },
  'one-call-at-a-time': {
    says: [{ calls: [call('p1', 'find_order', '{"id":"42"}')], stop: 'calls' }, DONE],
    spawn: { limits: { callsPerRound: 1 } },
    ends: { state: 'completed' },
    runs: ['find_order'],
  },
  'output-of-a-schema': {
    says: [
      { text: '{"paid":"much"}', stop: 'end' },
      { text: '{"paid":24}', stop: 'end' },
    ],
    spawn: {
      output: { schema: { type: 'object', properties: { paid: { type: 'integer' } }, required: ['paid'], additionalProperties: false } },
    },
    ends: { state: 'completed' },
    runs: [],
  },
}

/**
 * Plays all scenes.
 *
 * @param golden folder of the kept bodies
 */
export function sceneSuite(driver: Driver, golden: URL): void {
  mkdirSync(golden, { recursive: true })
  describe.each(Object.entries(SCENES))('%s', (name, { says, spawn, ends, runs }) => {
    it('sends what it should, and ends and replays the same', async () => {
      await using wire = await openWire()
      wire.answer(...says.map(driver.streamed))
      const played = await play(driver, wire, spawn)
      expect(played.result).toMatchObject(ends)
      expect(played.ran).toEqual(runs)
      expect(wire.asked).toHaveLength(says.length)
      expect(played.replayed).toMatchObject({ state: ends.state, executions: 0, modelCalls: 0, same: true })
      expectGolden(new URL(`${name}.json`, golden), bodiesOf(wire))
    })

    // NOT TESTED where the client is known to lose what the text says; the adapter's own tests say what it makes of that.
    it.skipIf(driver.rewrites === true && !says.every(survives))('sends the same when its answers come whole', async () => {
      await using streamedWire = await openWire()
      await using wholeWire = await openWire()
      streamedWire.answer(...says.map(driver.streamed))
      wholeWire.answer(...says.map(driver.whole))
      await play(driver, streamedWire, spawn)
      await play(driver, wholeWire, spawn, false)
      const ofStreams = ['stream', 'stream_options', ...(driver.ofStreams ?? [])]
      const without = (wire: Wire) =>
        wire.asked.map(({ body }) => JSON.parse(body, (name, value: unknown) => (ofStreams.includes(name) ? undefined : value)) as unknown)
      expect(without(wholeWire)).toEqual(without(streamedWire))
    })
  })

  it('asks again after a stream that broke off, and runs nothing of it', async () => {
    await using wire = await openWire()
    const calls = driver.streamed({ calls: [call('p1', 'break_order', '{"id":"42"}')], stop: 'calls' })
    wire.answer(...brokenOnce(calls), driver.streamed(DONE))
    const { result, ran: started } = await play(driver, wire)
    expect(result).toMatchObject({ state: 'completed' })
    expect(started).toEqual([])
    expect(wire.asked[1]?.body).toBe(wire.asked[0]?.body)
  })
}

function brokenOnce(answer: Answer): readonly Answer[] {
  const pieces = answer.body as readonly string[]
  return [{ ...answer, broken: { after: pieces.length - 1, by: 'end' } }]
}

/** A turn from its request to its end: whatever is held is approved. */
async function play(driver: Driver, wire: Wire, spawn: Partial<SpawnOptions> = {}, stream = true) {
  ran.length = 0
  const model = driver.model({ baseURL: wire.url, apiKey: 'key-of-nobody', stream, stallMs: 60_000 })
  const runtime = await createRuntime({ ...OPTIONS, model })
  try {
    const turn = await runtime.spawn({ input: 'Please refund order 42.', principal: ANA, ...spawn })
    for await (const event of turn.events()) {
      if (event.type === 'call.held') await runtime.approve(event.data.approvalId, { as: ANA, via: 'app' })
    }
    const result = await turn.result()
    return { result, replayed: await runtime.replay(turn.id), ran: [...ran] }
  } finally {
    await runtime.close()
  }
}

/** All bodies that were sent, to be read by people. */
export function bodiesOf(wire: Wire): string {
  return `${JSON.stringify(
    wire.asked.map(({ body }) => JSON.parse(body) as unknown),
    null,
    2,
  )}\n`
}
