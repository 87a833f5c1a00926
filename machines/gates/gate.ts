// What a gate is: one step of admission, with what it may look at and what it may answer.

import type { Gate as GateName } from '../events/shapes.ts'
import type { Completion } from '../events/round.ts'
import type { Inquiry } from '../inquiry.ts'
import type { JsonObject } from '../json.ts'
import type { LimitName } from '../limits.ts'
import type { Policy, Redactor } from '../ports/world.ts'
import type { Approver } from '../principal.ts'
import type { TurnState } from '../state.ts'
import type { ContentTrust, Tool, ToolDescriptor } from '../tool.ts'

/** Why a person must agree, and who may while the turn is trusted; `approvers: null` is the acting person. `forms`: to be answered. */
export type Question = {
  readonly reason: string
  readonly approvers: readonly Approver[] | null
  readonly forms?: Inquiry['forms']
}

/** A call on its way through the gates. Each gate may add what later ones stand on. */
export type Subject = {
  readonly ordinal: number
  /** Position in its round, from 1. */
  readonly position: number
  /** As the model wrote it. */
  readonly name: string
  /** Raw argument text; null where the provider sent none. */
  readonly text: string | null
  /** From the name gate on. */
  readonly descriptor?: ToolDescriptor
  /** From the arguments gate on: prepared and frozen, what policy, approver, record and tool all see. */
  readonly prepared?: JsonObject
  readonly argumentsDigest?: string
  /** From the trust gate on: the bit that authorization decides by. */
  readonly contentTrust?: ContentTrust
  /** From authorization on, where a person must agree. */
  readonly question?: Question
  /** From redaction on: the copy that is recorded, published, shown and sent back. */
  readonly redacted?: JsonObject
  readonly masked?: boolean
}

export type Verdict =
  | { readonly verdict: 'pass'; readonly subject: Subject }
  /** `text` is host-written; it is what the model reads as the call's result. */
  | { readonly verdict: 'invalid' | 'refused' | 'ended-turn'; readonly reason: string; readonly text: string }
  | { readonly verdict: 'suppressed-repeat'; readonly reason: string; readonly text: string; readonly of: number }

/** A call of the same round that was judged before. */
export type Judged = { readonly subject: Subject; readonly outcome: 'admitted' | 'held' | 'stopped' }

/** What the gates know of the turn and of the host. */
export type GateView = {
  /** Before the round was recorded. */
  readonly state: TurnState
  readonly completion: Completion
  /** The bit at the time the model answered, this round's provider-executed output included. */
  readonly contentTrust: ContentTrust
  readonly judged: readonly Judged[]
  readonly host: GateHost
}

/** The host's side of admission. */
export type GateHost = {
  readonly tools: ReadonlyMap<string, Tool>
  readonly policy: Policy
  readonly redactor: Redactor
  /** True: masked arguments can be sealed, so such a call may wait (D11). */
  readonly canSeal: boolean
  /** Key of the turn's argument digests. */
  readonly turnKey: Uint8Array
}

export type Gate = {
  readonly name: GateName
  readonly judge: (subject: Subject, view: GateView) => Verdict | Promise<Verdict>
}

export const pass = (subject: Subject): Verdict => ({ verdict: 'pass', subject })
export const invalid = (reason: string, text: string): Verdict => ({ verdict: 'invalid', reason, text })
export const refused = (reason: string, text: string): Verdict => ({ verdict: 'refused', reason, text })

/** The reasons by which `call.ended` says which cap decided. */
export type EndedReason = 'calls-per-round' | 'calls-per-turn' | 'rounds' | 'clarifications' | 'after-ask'
export const ended = (reason: EndedReason, text: string): Verdict => ({ verdict: 'ended-turn', reason, text })

/** What a gate needs that an earlier one adds. Without it nothing passes: gates in another order fail closed. */
export function needed<K extends keyof Subject>(subject: Subject, key: K): NonNullable<Subject[K]> {
  const value = subject[key]
  if (value === undefined || value === null) throw new Error(`the gate before this one did not give ${key}`)
  return value
}

/** The caps after which the turn itself is exhausted once the calls within them are done. */
export const EXHAUSTS: { readonly [reason: string]: LimitName } = {
  'calls-per-turn': 'callsPerTurn',
  clarifications: 'clarifications',
}
