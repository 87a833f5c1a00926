// given / when / then over events: a stream is told fact by fact, each put on a real fold, so that only legal histories are given.

import { asEvent } from '../../machines/actor/draft.ts'
import { chain, GENESIS } from '../../machines/chain.ts'
import { argumentsDigest, requestDigest } from '../../machines/digest.ts'
import type { Fact, FactOf, StoredEvent } from '../../machines/events.ts'
import type { RecordedResult } from '../../machines/events/shapes.ts'
import type { TurnOpened } from '../../machines/events/turn.ts'
import { fold, step } from '../../machines/fold.ts'
import { approvalId, hostCallId, invocationId } from '../../machines/ids.ts'
import type { JsonObject } from '../../machines/json.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { Principal } from '../../machines/principal.ts'
import type { CallState, TurnState } from '../../machines/state.ts'
import { catalogDigest, type ToolDescriptor } from '../../machines/tool.ts'
import { modelRequest } from '../../machines/transcript.ts'

/** A fact, or what makes it from the state it is told to. */
export type Telling = Fact | ((state: TurnState) => Fact)

/** A stream and its state. */
export type Story = { readonly events: readonly StoredEvent[]; readonly state: TurnState }

export const TURN = '0190a0b0-0000-7000-8000-000000000001'
export const TURN_KEY = new Uint8Array(32).fill(7)
export const ANA: Principal = { issuer: 'https://id.example.com', id: 'ana', kind: 'person', scopes: [] }
const WORKER = { kind: 'worker' as const, id: 'w-1' }
const TIME = '2026-01-01T00:00:00.000Z'
export const LATER = '2026-01-02T00:00:00.000Z'

/** A new stream that begins with `turn.opened` and goes on with these. */
export function given(opening: Fact, ...tellings: readonly Telling[]): Story {
  const stamp = { turnId: TURN, tenant: 'default', time: TIME, actor: WORKER, worked: 0 }
  const events = chain({ version: 0, hash: GENESIS }, [opening], stamp, saltOf)
  return tellings.reduce(told, { events, state: fold(events.map(asEvent)) })
}

/** The stream with one more event. @throws ToolturnError `illegal_history` when it may not stand there */
export function told(story: Story, telling: Telling): Story {
  const { state } = story
  const fact = typeof telling === 'function' ? telling(state) : telling
  const stamp = { turnId: state.turnId, tenant: state.tenant, time: TIME, actor: WORKER, worked: state.version * 10 }
  const events = chain({ version: state.version, hash: state.head }, [fact], stamp, saltOf)
  return { events: [...story.events, ...events], state: events.map(asEvent).reduce(step, state) }
}

export const saltOf = () => '5a'.repeat(16)

function descriptor(name: string, replayPolicy: ToolDescriptor['replayPolicy'], approval: ToolDescriptor['approval']): ToolDescriptor {
  return {
    name,
    replayPolicy,
    approval,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    contentTrust: 'untrusted',
    scopes: [],
    timeoutMs: 1_000,
    tries: 1,
    version: `${name}-1`,
  }
}

export const CATALOG = [
  descriptor('find', 'read-only', 'never'),
  descriptor('label', 'idempotent', 'when-untrusted'),
  descriptor('pay', 'at-most-once', 'when-untrusted'),
  descriptor('ask_user', 'read-only', 'never'),
] as const

export function opened(over: Partial<TurnOpened> = {}): FactOf<'turn.opened'> {
  return {
    type: 'turn.opened',
    data: {
      runtime: 'default',
      principal: ANA,
      system: 'Help.',
      input: [{ role: 'user', text: 'Order 42 arrived broken.', contentTrust: 'trusted' }],
      contentTrust: 'trusted',
      catalog: [...CATALOG],
      catalogDigest: catalogDigest(CATALOG),
      ask: 'ask_user',
      limits: DEFAULT_LIMITS,
      output: null,
      providerTools: [],
      approvers: [],
      labels: {},
      key: 'k-1',
      follows: null,
      history: [],
      fork: null,
      ...over,
    },
  }
}

export type GivenCall = { readonly tool: string; readonly arguments?: JsonObject }

/** A round that calls tools. */
export const calls = (...named: readonly (string | GivenCall)[]) =>
  round({ calls: named.map(call => (typeof call === 'string' ? { tool: call } : call)) })

/** A round that says something and calls nothing. */
export const says = (text: string) => round({ text })

type GivenRound = {
  readonly calls?: readonly GivenCall[]
  readonly text?: string
  readonly over?: Partial<FactOf<'round.recorded'>['data']>
}

export const round =
  ({ calls: given = [], text, over }: GivenRound) =>
  (state: TurnState): FactOf<'round.recorded'> => ({
    type: 'round.recorded',
    data: {
      round: state.rounds.length + 1,
      request: requestDigest(modelRequest(state)),
      completion: 'clean',
      stop: given.length > 0 ? 'tool_calls' : 'end',
      channel: given.length > 0 ? 'tool' : null,
      items: [
        ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
        ...given.map((call, index) => {
          const ordinal = state.nextOrdinal + index
          const text = JSON.stringify(call.arguments ?? { id: '1' })
          const ids = { ordinal, id: hostCallId(ordinal), providerId: `p${ordinal}` }
          return { kind: 'call' as const, ...ids, name: call.tool, arguments: text, masked: false }
        }),
      ],
      output: null,
      usage: { inputTokens: 100, outputTokens: 10 },
      anomalies: [],
      ...over,
    },
  })

export function callOf(state: TurnState, ordinal: number): CallState {
  const call = state.calls.get(ordinal)
  if (call === undefined) throw new Error(`the story has no call ${ordinal}`)
  return call
}

const TRAIL = ['completion', 'name', 'arguments', 'trust', 'authorization', 'limits', 'redaction'] as const

function preparedOf(state: TurnState, ordinal: number) {
  const { item } = callOf(state, ordinal)
  const args = JSON.parse(item.arguments) as JsonObject
  return {
    ordinal,
    tool: item.name,
    descriptor: `${item.name}-1`,
    arguments: args,
    argumentsDigest: argumentsDigest(TURN_KEY, item.name, args),
    masked: false,
    trail: [...TRAIL],
  }
}

export const admitted =
  (ordinal: number, over: Partial<FactOf<'call.admitted'>['data']> = {}) =>
  (state: TurnState): Fact => ({
    type: 'call.admitted',
    data: { ...preparedOf(state, ordinal), ...over },
  })

export const held =
  (ordinal: number, over: Partial<FactOf<'call.held'>['data']> = {}) =>
  (state: TurnState): Fact => ({
    type: 'call.held',
    data: {
      ...preparedOf(state, ordinal),
      gate: 'authorization',
      approvalId: approvalId(state.turnId, ordinal, callOf(state, ordinal).holds + 1),
      contentTrust: state.contentTrust,
      approvers: null,
      expiresAt: LATER,
      reason: 'untrusted',
      ...over,
    },
  })

const stopped = (ordinal: number, state: TurnState, gate: 'arguments' | 'authorization', reason: string) => {
  const { tool } = preparedOf(state, ordinal)
  return { ordinal, tool, gate, trail: ['completion' as const, 'name' as const], reason, text: `The host says: ${reason}.` }
}
export const invalid =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'call.invalid',
    data: stopped(ordinal, state, 'arguments', 'schema'),
  })
export const refused =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'call.refused',
    data: stopped(ordinal, state, 'authorization', 'policy'),
  })

export const suppressed =
  (ordinal: number, of: number) =>
  (state: TurnState): Fact => {
    const { tool, argumentsDigest: digest } = preparedOf(state, ordinal)
    const said = { gate: 'limits' as const, trail: [], reason: 'executed', text: 'Use it.' }
    return { type: 'call.suppressed', data: { ordinal, tool, ...said, of, argumentsDigest: digest } }
  }

export const ended =
  (ordinal: number, reason: FactOf<'call.ended'>['data']['reason'] = 'turn-ended') =>
  (state: TurnState): Fact => {
    const { tool } = preparedOf(state, ordinal)
    return { type: 'call.ended', data: { ordinal, tool, gate: null, trail: [], reason, text: `The host says: ${reason}.` } }
  }

export const dispatched =
  (ordinal: number) =>
  (state: TurnState): Fact => {
    const { item, chart } = callOf(state, ordinal)
    const { tenant, turnId } = state
    const id = invocationId({ tenant, turnId, ordinal, tool: item.name })
    return { type: 'call.dispatched', data: { ordinal, tool: item.name, dispatch: chart.context.dispatch + 1, invocationId: id } }
  }

/** A round of one call, up to its start. */
export const started = (tool: string, ordinal = 1): Telling[] => [calls(tool), admitted(ordinal), dispatched(ordinal)]

export const failedTry =
  (ordinal: number) =>
  (state: TurnState): Fact => {
    const { chart, failedTries } = callOf(state, ordinal)
    return { type: 'call.failed', data: { ordinal, dispatch: chart.context.dispatch, try: failedTries + 1, kind: 'thrown', backoffMs: 0 } }
  }

export const late =
  (ordinal: number) =>
  (state: TurnState): Fact => ({
    type: 'call.late',
    data: { ordinal, dispatch: callOf(state, ordinal).chart.context.dispatch, ended: 'returned', digest: 'd'.repeat(64), bytes: 1 },
  })

export function resultOf(text: string, over: Partial<RecordedResult> = {}): RecordedResult {
  return { result: { content: [{ type: 'text', text }] }, digest: 'd'.repeat(64), bytes: text.length, truncated: false, ...over }
}

export const recorded =
  (ordinal: number, over: Partial<FactOf<'call.recorded'>['data']> = {}) =>
  (state: TurnState): Fact => ({
    type: 'call.recorded',
    data: {
      ordinal,
      tool: callOf(state, ordinal).item.name,
      dispatch: callOf(state, ordinal).chart.context.dispatch,
      tries: 1,
      ended: 'returned',
      ...resultOf(`result of ${ordinal}`),
      contentTrust: 'untrusted',
      ...over,
    },
  })

export const settled =
  (ordinal: number, what: 'happened' | 'did-not-happen') =>
  (state: TurnState): Fact => ({
    type: 'call.settled',
    data: {
      ordinal,
      tool: callOf(state, ordinal).item.name,
      dispatch: callOf(state, ordinal).chart.context.dispatch,
      settled: what,
      by: 'operator',
      contentTrust: 'untrusted',
      ...(what === 'happened' ? { recorded: resultOf('it happened') } : {}),
    },
  })
