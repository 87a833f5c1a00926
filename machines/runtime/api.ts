// What a host calls. The shapes that scripts and services rely on.

import type { Event, EventType, StoredEvent } from '../events.ts'
import type { OutputRequest, ProviderTool, TurnOutput } from '../events/turn.ts'
import type { Usage } from '../events/round.ts'
import type { ErrorCode } from '../errors.ts'
import type { Outcome } from '../ids.ts'
import type { Json, JsonObject } from '../json.ts'
import type { LimitName, LimitOptions } from '../limits.ts'
import type { ApprovalRow, TurnRow, TurnStateName } from '../ports/rows.ts'
import type { Principal, Via } from '../principal.ts'
import type { ContentTrust } from '../tool.ts'

/** A principal as a host writes it: scopes may be left out. */
export type PrincipalInput = {
  readonly issuer: string
  readonly id: string
  readonly kind: 'person' | 'service'
  readonly scopes?: readonly string[]
}

/** An entry of a list of inputs. Without a mark it is untrusted (C1). */
export type InputEntry = { readonly role: 'system' | 'user' | 'assistant'; readonly text: string; readonly contentTrust?: ContentTrust }

export type SpawnOptions = {
  /** A plain string is what the acting person typed, and trusted; where nobody acts it is untrusted, as list entries are (C1). */
  readonly input: string | readonly InputEntry[]
  /** For whom the turn acts; null: for nobody. */
  readonly principal: PrincipalInput | null
  readonly tenant?: string
  /** Idempotency key: the same tenant and key give the same turn. */
  readonly key?: string
  /** Up to 16. */
  readonly labels?: { readonly [name: string]: string }
  /** A turn whose transcript and content trust are the first input. */
  readonly follows?: string
  /** Names offered to this turn; default all. */
  readonly tools?: readonly string[]
  /** JSON Schema of the output. Whether the provider holds it follows from the model's capability (A2). */
  readonly output?: { readonly schema: OutputRequest['schema'] }
  readonly limits?: LimitOptions
  /** Who may resolve while the turn is trusted (C4). Without issuer: of the principal's issuer. */
  readonly approvers?: readonly { readonly id: string; readonly issuer?: string; readonly kind?: 'person' | 'service' }[]
  readonly signal?: AbortSignal
}

/** A call in a result or a view. */
export type CallView = {
  readonly ordinal: number
  readonly round: number
  readonly tool: string
  readonly providerId: string | null
  /** State of the call chart; the six outcomes among them. */
  readonly state: string
  readonly outcome: Outcome | null
  readonly gate: string | null
  readonly reason: string | null
  readonly approvalId: string | null
  readonly dispatches: number
}

/** What came of a turn, or what it waits for. */
export type TurnResult = {
  readonly turnId: string
  readonly state: TurnStateName
  readonly code: ErrorCode | null
  readonly limit: LimitName | null
  readonly output: TurnOutput | null
  readonly calls: readonly CallView[]
  readonly usage: Required<Usage>
  readonly attempt: number
  readonly version: number
}

/** Unrecorded: what a model is saying right now. */
export type ProgressEvent = { readonly type: 'progress'; readonly version: null; readonly turnId: string; readonly data: JsonObject }

/** A turn in a host's hands. Any process may hold it; it owns nothing. */
export type TurnHandle = {
  readonly id: string
  readonly tenant: string
  /** True when the key named a turn that was there already. */
  readonly existing: boolean
  /** History behind `after`, then live; ends with the turn. With `progress: true` also unrecorded deltas. */
  readonly events: {
    (options?: { after?: number; progress?: false; signal?: AbortSignal }): AsyncIterable<Event>
    (options: { after?: number; progress: true; signal?: AbortSignal }): AsyncIterable<Event | ProgressEvent>
  }
  /** Resolves at every end and when a person is awaited; rejects only when it cannot know. */
  readonly result: (options?: { readonly signal?: AbortSignal }) => Promise<TurnResult>
}

/** Whom the host authenticated, and by which lane; `via` is for the record where nothing is decided by it. */
export type As = { readonly as: PrincipalInput; readonly via?: Via }
/** Whose decision it is, and by which lane it came. The lane is never guessed: only `app` may resolve on an untrusted turn (C4). */
export type Deciding = { readonly as: PrincipalInput; readonly via: Via; readonly tenant?: string }
/** A yes: with edited arguments, or with answers to what the tool of the call wants to know. */
export type Approving = Deciding & { readonly arguments?: unknown; readonly answers?: unknown }

/** What a resolve made of its hold. */
export type Resolution = {
  readonly turnId: string
  readonly approvalId: string
  readonly ordinal: number
  readonly decision: 'granted' | 'denied'
}

export type ListOptions = {
  readonly tenant?: string
  readonly state?: TurnStateName | readonly TurnStateName[]
  readonly labels?: { readonly [name: string]: string }
  readonly principal?: string | { readonly id: string; readonly issuer?: string }
  readonly tool?: string
  readonly outcome?: Outcome
  /** ISO 8601, a Date, or epoch milliseconds: `since ≤ opened < until`. */
  readonly since?: string | number | Date
  readonly until?: string | number | Date
  readonly parked?: boolean
  readonly limit?: number
  readonly cursor?: string
}

/** Where a replay differs from the record. */
export type Divergence = { readonly version: number; readonly round: number; readonly recorded: string; readonly current: string }

export type ReplayResult = {
  readonly turnId: string
  readonly attempt: number
  /** State of the turn by its records; of `failed`, code `replay_source_missing` or `replay_diverged` where the replay itself failed. */
  readonly state: TurnStateName
  readonly code: ErrorCode | null
  /** Always 0: nothing is executed (D8). */
  readonly executions: 0
  readonly modelCalls: 0
  readonly divergence: Divergence | null
  /** What is missing: version, and the call or round it belongs to. */
  readonly missing: { readonly version: number; readonly ordinal: number | null } | null
  /** True when state and code are those of the stream and nothing diverged or was missing. */
  readonly same: boolean
  /** Digest of the messages that the model would be sent next. */
  readonly messages: string
}

export type VerifyFinding = { readonly turnId: string; readonly version: number; readonly problem: string }
export type VerifyResult = {
  readonly ok: boolean
  readonly turns: number
  readonly events: number
  /** Versions whose payload was erased; the chain holds over them. */
  readonly erased: number
  /** Versions behind an erased payload: their chain was checked, and whether they may stand there could not be. */
  readonly unjudged: number
  /** Of a whole store: committed versions that a transaction still keeps out of the feed. */
  readonly unfed?: number
  readonly findings: readonly VerifyFinding[]
}

export type SubscribeOptions = {
  readonly name: string
  readonly tenant?: string
  readonly types?: readonly EventType[]
  readonly from?: 'new' | 'start'
  /** Where the effect is kept, to have each effect exactly once. Default: the place is kept in the store alone. */
  readonly seen?: Seen
  readonly signal?: AbortSignal
}

/** A place that is kept with the consumer's effect: both or neither, whatever dies. */
export type Seen = {
  /** The highest version of this turn whose effect is there; null when there is none of this turn. */
  readonly version: (turnId: string) => Promise<number | null>
  /** The consumer is done with this version. Raises it, never lowers it. */
  readonly advance: (turnId: string, version: number) => Promise<void>
}

/** The verbs. Each rejects with a ToolturnError: `option_invalid` where it was asked wrongly, `runtime_closed` after the close. */
export type Runtime = {
  readonly name: string
  /** Opens a turn for whom the host authenticated; resolves when it is durable. @throws `option_invalid`, `spawn_key_conflict` */
  readonly spawn: (options: SpawnOptions) => Promise<TurnHandle>
  /** A turn by its id. @throws ToolturnError `turn_not_found` */
  readonly get: (turnId: string, options?: { readonly tenant?: string }) => Promise<TurnHandle>
  /** The events of a turn by its id, as `turn.events` gives them. */
  readonly events: (turnId: string, options?: { readonly after?: number; readonly signal?: AbortSignal }) => AsyncIterable<Event>
  /** What came of a turn by its id, as `turn.result` gives it. @throws ToolturnError `turn_not_found` */
  readonly result: (turnId: string, options?: { readonly tenant?: string; readonly signal?: AbortSignal }) => Promise<TurnResult>
  readonly show: (turnId: string, options?: { readonly tenant?: string }) => Promise<TurnResult & { readonly row: TurnRow }>
  readonly messages: (turnId: string, options?: { readonly tenant?: string; readonly round?: number }) => Promise<Json>
  readonly list: (options?: ListOptions) => Promise<{ readonly turns: readonly TurnRow[]; readonly next: string | null }>
  readonly approvals: (
    options?: ListOptions & { readonly settled?: boolean },
  ) => Promise<{ readonly approvals: readonly ApprovalRow[]; readonly next: string | null }>
  /**
   * @throws ToolturnError `approval_already_resolved` with the stored decision, `approval_expired`, `approval_not_yours`,
   *   `approval_channel_refused`, `decision_invalid`, `turn_not_open`
   */
  readonly approve: (approvalId: string, options: Approving) => Promise<Resolution>
  readonly deny: (approvalId: string, options: Deciding & { readonly reason?: string }) => Promise<Resolution>
  /** What came from outside, word for word: `approve` or `deny`, or `decision_invalid` and the hold is as it was (C5). */
  readonly decide: (approvalId: string, decision: unknown, options: Deciding) => Promise<Resolution>
  readonly answer: (turnId: string, options: Deciding & { readonly answer: unknown }) => Promise<void>
  /** Cancels a turn, for whomever `as` names: who may is the host's to decide, before it calls. */
  readonly cancel: (turnId: string, options: As & { readonly tenant?: string }) => Promise<void>
  /** A new attempt. Who may, and who may say `despiteDoubt`, is the host's to decide, before it calls. */
  readonly retry: (turnId: string, options: As & { readonly despiteDoubt?: boolean; readonly tenant?: string }) => Promise<TurnHandle>
  /** An operator's word on a call in doubt, taken as it is: who is an operator is the host's to decide, before it calls (D6). */
  readonly settle: (
    turnId: string,
    ordinal: number,
    options: As & { readonly tenant?: string } & (
        | { readonly happened: unknown }
        | { readonly didNotHappen: true; readonly workerIsDead: true }
      ),
  ) => Promise<void>
  /**
   * A new turn that begins with a copy of this one's records, for the same principal and with its rights (D13). Who may is the
   * host's to decide, before it calls; without `as` the record names the worker alone.
   */
  readonly fork: (
    turnId: string,
    options: { readonly at: number; readonly as?: PrincipalInput; readonly tenant?: string },
  ) => Promise<TurnHandle>
  readonly replay: (
    turnId: string,
    options?: { readonly attempt?: number; readonly at?: number; readonly tenant?: string },
  ) => Promise<ReplayResult>
  readonly verify: (
    turnId?: string,
    options?: { readonly tenant?: string; readonly onProgress?: (progress: { readonly turns: number; readonly events: number }) => void },
  ) => Promise<VerifyResult>
  /** A self-contained audit file, line by line (JSONL). */
  readonly export: (
    what:
      | { readonly turnId: string; readonly tenant?: string }
      | { readonly since?: string | number | Date; readonly until?: string | number | Date; readonly tenant?: string },
  ) => AsyncIterable<string>
  /** Claims orphans and drives each until it ends or rests; or one turn, also when it is parked. */
  readonly recover: (turnId?: string) => Promise<{ readonly driven: readonly string[] }>
  readonly subscribe: (
    options: SubscribeOptions,
    handler: (event: Event) => Promise<void> | void,
  ) => Promise<{ readonly close: () => Promise<void> }>
  readonly capabilities: () => JsonObject
  readonly effectSeams: () => readonly (ProviderTool & { readonly kind: 'provider' })[]
  readonly doctor: () => Promise<JsonObject>
  /** Drains, then lets go: the next owner recovers. */
  readonly close: (options?: { readonly graceMs?: number }) => Promise<void>
}

export type { Principal, StoredEvent }
