// The model port: one neutral request in, one round out. Adapters map; they decide nothing and never run a tool (G7).

import type { Completion, Usage } from '../events/round.ts'
import type { OutputRequest, ProviderTool } from '../events/turn.ts'
import type { Outcome } from '../ids.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolResult } from '../tool.ts'

/** What stands in the transcript, neutral of providers. Assistant content is resent as it was recorded. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly content: readonly MessageItem[] }
  /** The results of all calls of the round before, in call order, one each (B3). */
  | { readonly role: 'tool'; readonly results: readonly PairedResult[] }

export type MessageItem =
  | { readonly kind: 'text'; readonly text: string; readonly extra?: Json }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string; readonly extra?: Json }
  | { readonly kind: 'opaque'; readonly value: Json }
  | ProviderToolItem

/** What a provider's tool was given or gave: a use and its result may stand apart, even in two rounds, under one id. */
type ProviderToolItem = {
  readonly kind: 'provider-tool'
  readonly name: string
  readonly id?: string
  readonly input?: Json
  readonly result?: Json
  readonly extra?: Json
}

export type PairedResult = {
  readonly id: string
  readonly tool: string
  readonly outcome: Outcome
  readonly result: ToolResult
}

export type OfferedTool = { readonly name: string; readonly description: string; readonly inputSchema: JsonObject | boolean }

/** The neutral request: what is digested and compared on replay (D8). */
export type ModelRequest = {
  readonly system: string | null
  readonly messages: readonly Message[]
  readonly tools: readonly OfferedTool[]
  readonly output: OutputRequest | null
  readonly providerTools: readonly ProviderTool[]
  /** 1 is sent as the provider's own switch. */
  readonly callsPerRound: number
  /** How many truncated rounds came just before: the output budget doubles with each (B4). */
  readonly truncations: number
}

export type AskContext = {
  readonly turnId: string
  readonly attempt: number
  /** Round in the attempt and try of it, both from 1. */
  readonly round: number
  readonly try: number
  readonly signal: AbortSignal
  /** Why it is asked. A replay has all answers on record: an adapter that is reached by one sends nothing and throws (F2). */
  readonly purpose: 'live' | 'replay'
  /** Unrecorded progress. */
  readonly onDelta: (delta: { readonly kind: 'text' | 'thinking' | 'call'; readonly text: string }) => void
}

/**
 * What an adapter read out of a response. Argument text is raw; `null` where the provider sent none. `extra` is what the
 * provider wants back with the item (a signature, an item id): kept byte-exact, looked into by nobody but the adapter.
 */
export type ModelItem =
  | { readonly kind: 'text'; readonly text: string; readonly extra?: Json }
  | {
      readonly kind: 'call'
      readonly id: string | null
      readonly name: string
      readonly arguments: string | null
      readonly extra?: Json
    }
  | { readonly kind: 'opaque'; readonly value: Json }
  | ProviderToolItem

export type ModelRound = {
  /** Total: a stop word that the adapter does not know is `truncated`, never `clean`. */
  readonly completion: Completion
  readonly stop: string
  readonly items: readonly ModelItem[]
  readonly refusal?: string
  readonly usage?: Usage
}

/** Thrown by `ask`. Says what failed without the words of the provider. */
export type ModelFailure = {
  readonly modelFailure: true
  readonly kind: 'http' | 'timeout' | 'reset' | 'protocol'
  readonly status?: number
  /** Final: asking again would give the same. */
  readonly final: boolean
  readonly code:
    | 'model_unavailable'
    | 'model_request_rejected'
    | 'model_context_exceeded'
    | 'model_protocol_violation'
    | 'mock_program_exhausted'
  readonly retryAfterMs?: number
  readonly message: string
}

export function isModelFailure(thrown: unknown): thrown is ModelFailure {
  return typeof thrown === 'object' && thrown !== null && (thrown as { modelFailure?: unknown }).modelFailure === true
}

export type Model = {
  readonly name: string
  readonly capabilities: {
    readonly toolCalls: 'native' | 'none'
    /** True: the provider holds an output schema; false: it is asked for in words (A2). */
    readonly enforcedOutput: boolean
  }
  /** Asks once. Sends nothing after `signal` is aborted. @throws ModelFailure */
  readonly ask: (request: ModelRequest, context: AskContext) => Promise<ModelRound>
}
