// A host whose one secret comes from everywhere, and all that leaves it: what is recorded, told, shown, exported, logged, sent and thrown.

import { createRuntime, memory, tool, type Log, type Model, type ModelRequest, type ModelRound, type Runtime } from '../../index.ts'
import { memoryBroker, memoryBus } from '../../bus/memory.ts'
import { silentLog } from '../../adapters/log.ts'

export const SECRET = 'hunter2-secret-value-XYZ'
export const [FIRST, REST] = [SECRET.slice(0, 12), SECRET.slice(12)]
export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' } as const
export const LANE = { as: ANA, via: 'app' } as const

export type Answer = ModelRound | { readonly throws: object }
export type House = {
  readonly runtime: Runtime
  /** Keeps what was given or thrown to a caller. */
  readonly give: <T>(asked: Promise<T>) => Promise<T | null>
  /** All that left so far, each with the name of its sink. */
  readonly sinks: () => Promise<ReadonlyMap<string, string>>
}

const NOTE = { type: 'object', properties: { note: { type: 'string' } } } as const

const tools = [
  tool({ name: 'ask_user', description: 'Ask the person.', input: NOTE, replayPolicy: 'read-only', run: () => 'never run' }),
  tool({ name: 'write', description: 'Write.', input: NOTE, replayPolicy: 'at-most-once', approval: 'always', run: () => 'written' }),
  tool({
    name: 'look',
    description: 'Look.',
    input: NOTE,
    replayPolicy: 'read-only',
    run: (_, call) => {
      call.log(`saw ${SECRET}`, { saw: [SECRET], [SECRET]: 1 })
      return { seen: `it is ${SECRET}` }
    },
  }),
  tool({
    name: 'fail',
    description: 'Fail.',
    input: NOTE,
    replayPolicy: 'read-only',
    run: () => {
      throw new Error(`${'x'.repeat(1_990)}${SECRET}`)
    },
  }),
]

/** A model that says these answers in turn, each text letter by letter. */
function speaking(answers: readonly Answer[], asked: ModelRequest[]): Model {
  const left = [...answers]
  return {
    name: 'speaking',
    capabilities: { toolCalls: 'native', enforcedOutput: true },
    ask: async (request, { onDelta }) => {
      asked.push(request)
      const answer = left.shift()
      if (answer === undefined) throw new Error('the script is over')
      if ('throws' in answer) throw answer.throws as unknown as Error
      for (const item of answer.items) {
        if (item.kind === 'text') for (const text of item.text) onDelta({ kind: 'text', text })
        if (item.kind === 'call') onDelta({ kind: 'call', text: item.arguments ?? '' })
      }
      for (const text of `Thinking of ${SECRET} again. `) onDelta({ kind: 'thinking', text })
      return answer
    },
  }
}

export async function openHouse(answers: readonly Answer[]): Promise<House> {
  const asked: ModelRequest[] = []
  const told: string[] = []
  const logged: string[] = []
  const given: string[] = []
  const note = (message: string, fields?: object) => logged.push(JSON.stringify({ message, fields }))
  const log: Log = { info: note, warn: note, error: note }
  const broker = memoryBroker()
  const listener = broker.open(silentLog)
  await listener.onProgress('progress.>', (_, body) => told.push(Buffer.from(body).toString('utf8')))
  const runtime = await createRuntime({
    store: memory(),
    bus: memoryBus(broker),
    model: speaking(answers, asked),
    tools,
    system: `The password is ${SECRET}.`,
    providerTools: [{ name: 'web', replayPolicy: 'read-only' }],
    redact: { values: [SECRET] },
    key: new Uint8Array(32).fill(7),
    log,
  })
  const give = async <T>(wanted: Promise<T>): Promise<T | null> => {
    try {
      const value = await wanted
      given.push(JSON.stringify(value))
      return value
    } catch (thrown) {
      const { message, details } = thrown as { readonly message: string; readonly details?: object }
      given.push(JSON.stringify({ message, details, text: String(thrown) }))
      return null
    }
  }
  const sinks = async () => {
    const { turns } = await runtime.list()
    const shown = await Promise.all(turns.flatMap(({ turnId }) => [runtime.show(turnId), runtime.messages(turnId)]))
    const exported: string[] = []
    for await (const line of runtime.export({})) exported.push(line)
    return new Map([
      ['export', exported.join('\n')],
      [
        'bus',
        broker
          .kept('turns')
          .map(({ body, ...head }) => `${JSON.stringify(head)} ${Buffer.from(body).toString('utf8')}`)
          .join('\n'),
      ],
      ['progress', told.join('\n')],
      ['log', logged.join('\n')],
      ['list', JSON.stringify(turns)],
      ['approvals', JSON.stringify([await runtime.approvals(), await runtime.approvals({ settled: true })])],
      ['show and messages', JSON.stringify(shown)],
      ['requests', JSON.stringify(asked)],
      ['callers', given.join('\n')],
    ])
  }
  return { runtime, give, sinks }
}
