// A house for tests of large results: one store, in which runtimes live one after another, and what their models were sent.

import { createRuntime, type HostOptions } from '../../adapters/host.ts'
import { scripted } from '../../adapters/models/scripted.ts'
import type { ScriptedContent, ScriptedRound } from '../../adapters/models/script.ts'
import { tool } from '../../adapters/tool.ts'
import type { Event } from '../../machines/events.ts'
import { parseEvent } from '../../machines/fold.ts'
import { canonicalJson, type JsonObject } from '../../machines/json.ts'
import type { Model, ModelRequest } from '../../machines/ports/model.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Log } from '../../machines/ports/world.ts'
import { normaliseResult } from '../../machines/result.ts'
import type { Runtime } from '../../machines/runtime/api.ts'
import type { CallContext, Reconciled, ReplayPolicy, Tool, ToolResult } from '../../machines/tool.ts'
import { memoryDatabase, openMemory } from '../../store/memory.ts'

export const ANA = { issuer: 'https://id.example.com', id: 'ana', kind: 'person' as const }

/** One runtime on the store of the house, as one process has it. */
export type Life = {
  readonly runtime: Runtime
  /** What its model was sent, in order. */
  readonly requests: readonly ModelRequest[]
  /** Lines of its log, as `message field=value …`. */
  readonly lines: readonly string[]
  /** Resolves when its model was asked for the round that it does not answer. */
  readonly stuck: Promise<void>
  /** The process dies: nothing of it reaches the store any more, and its lease is over. */
  readonly die: () => Promise<void>
}

export type LifeOptions = Partial<HostOptions> & {
  readonly rounds: readonly ScriptedRound[]
  /** Round that the model never answers. */
  readonly stuckAt?: number
}

export type House = {
  readonly store: Store
  readonly live: (options: LifeOptions) => Promise<Life>
  readonly events: (turnId: string) => Promise<readonly Event[]>
  /** Closes what still lives, and the store. */
  readonly close: () => Promise<void>
}

export function houseOn(store: Store = openMemory(memoryDatabase())): House {
  const lives: Runtime[] = []
  const live = async (options: LifeOptions) => {
    const life = await liveOn(store, options)
    lives.push(life.runtime)
    return life
  }
  return {
    store,
    live,
    events: async turnId => (await store.read(turnId)).map(parseEvent),
    close: async () => {
      for (const runtime of lives.splice(0)) await runtime.close({ graceMs: 0 })
      await store.close()
    },
  }
}

async function liveOn(store: Store, { rounds, stuckAt, ...options }: LifeOptions): Promise<Life> {
  const requests: ModelRequest[] = []
  const lines: string[] = []
  const stuck = Promise.withResolvers<void>()
  const script = scripted(rounds)
  const model: Model = {
    ...script,
    ask: async (request, context) => {
      requests.push(request)
      if (context.round !== stuckAt) return script.ask(request, context)
      stuck.resolve()
      return new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason as Error)))
    },
  }
  const line = lineTo(store)
  const runtime = await createRuntime({ store: { kind: 'memory', open: async () => line.store }, model, log: logTo(lines), ...options })
  return { runtime, requests, lines, stuck: stuck.promise, die: line.cut }
}

function logTo(lines: string[]): Log {
  const write = (message: string, fields: JsonObject = {}) => {
    lines.push([message, ...Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`)].join(' '))
  }
  return { info: write, warn: write, error: write }
}

/** A store as one process reaches it, until it is cut off. Closing it leaves the store to the others. */
function lineTo(store: Store): { readonly store: Store; readonly cut: () => Promise<void> } {
  const workers: string[] = []
  let isCut = false
  const over =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isCut) throw new Error('the process is dead')
      return work(...args)
    }
  const { blobs, time, onWake, ...asked } = store
  const entries = Object.entries(asked).map(([name, work]) => [name, over(work as () => Promise<unknown>)])
  const reached = Object.fromEntries(entries) as unknown as typeof asked
  return {
    store: {
      ...reached,
      time,
      onWake,
      blobs: { put: over(blobs.put), get: over(blobs.get) },
      enlist: async (worker, ...given) => {
        workers.push(worker)
        await reached.enlist(worker, ...given)
      },
      close: async () => undefined,
    },
    cut: async () => {
      isCut = true
      for (const worker of workers) await store.retire(worker)
    },
  }
}

/** A text whose result takes exactly so many bytes in a record. */
export function textOf(bytes: number, unit = 'x'): string {
  const around = Buffer.byteLength(canonicalJson(normaliseResult('x'))) - 1
  const each = Buffer.byteLength(unit)
  const left = bytes - around
  return unit.repeat(Math.floor(left / each)) + 'x'.repeat(left % each)
}

export type Read = { readonly tool: Tool; readonly runs: () => number }

/** A tool that returns what it is told to, and counts how often it ran. */
export function reading(
  name: string,
  replayPolicy: ReplayPolicy,
  returns: (nth: number, call: CallContext) => unknown,
  more: { readonly reconcile?: () => Reconciled; readonly recordBytes?: number; readonly approval?: 'never' | 'always' } = {},
): Read {
  let runs = 0
  return {
    runs: () => runs,
    tool: tool({
      name,
      replayPolicy,
      description: `The tool ${name}.`,
      input: { type: 'object', properties: { n: { type: 'integer' } } },
      contentTrust: 'trusted',
      approval: 'never',
      ...more,
      run: async (_args, call) => {
        runs += 1
        return returns(runs, call)
      },
    }),
  }
}

export function calls(...names: readonly string[]): ScriptedRound {
  const content = names.map((name, n): ScriptedContent => ({ call: { id: `${name}-${n}`, name, arguments: { n } } }))
  return { stop: 'tool_calls', content }
}

export function says(text: string): ScriptedRound {
  return { stop: 'end', content: [{ text }] }
}

/** The results that a request carries, in order. */
export function resultsIn(request: ModelRequest | undefined): readonly ToolResult[] {
  return (request?.messages ?? []).flatMap(message => (message.role === 'tool' ? message.results.map(paired => paired.result) : []))
}

export function wordsIn(request: ModelRequest | undefined): readonly string[] {
  return resultsIn(request).map(({ content }) => content.map(block => (typeof block['text'] === 'string' ? block['text'] : '')).join(''))
}

/** What is recorded of the results, in order. */
export function recordsIn(events: readonly Event[]) {
  return events.flatMap(event => (event.type === 'call.recorded' ? [event.data] : []))
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
