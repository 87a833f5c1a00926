// A second reading of the rules: each committed event is held against the contract by a few plain counters, and by nothing
// of the law that wrote it.

import type { EventOf } from '../../machines/events.ts'
import { GATES } from '../../machines/events/shapes.ts'
import type { TurnOpened } from '../../machines/events/turn.ts'
import type { Approver, Principal, Via } from '../../machines/principal.ts'
import type { ContentTrust, ToolDescriptor } from '../../machines/tool.ts'

/** A call as its events tell it. */
export type ToldCall = {
  readonly ordinal: number
  readonly name: string
  readonly round: number
  judged: boolean
  /** The outcome that stays, once it has one. */
  outcome: string | null
  dispatch: number
  /** True while the last dispatch is neither recorded nor settled. */
  inFlight: boolean
  failedTries: number
  openHold: { readonly id: string; readonly approvers: readonly Approver[] | null; turnedAway: number } | null
  grant: { readonly by: Principal; readonly via: Via; readonly approvers: readonly Approver[] | null } | null
  /** HMAC of its effective arguments; null before it was admitted. */
  digest: string | null
  /** It ran and did not fail. */
  succeeded: boolean
  masked: boolean
  /** Version of its record, where that is only the short form; and whether the whole is kept elsewhere. */
  miss: number | null
  kept: boolean
}

/** A turn as its events tell it. */
export type Told = {
  readonly opened: TurnOpened
  attempt: number
  /** Working milliseconds of the attempt, as the last event said. */
  worked: number
  trust: ContentTrust
  rounds: number
  /** Failed tries of the round that is asked for. */
  failures: number
  lastCompletion: string
  /** Truncated rounds right before now. */
  truncations: number
  /** Rounds that held an invalid call. */
  invalid: Set<number>
  ordinals: number
  asks: number
  /** The ask that waits for an answer. */
  asking: number | null
  cancelling: boolean
  ended: string | null
  /** Failed in doubt: open calls stay open. */
  doubt: boolean
  calls: Map<number, ToldCall>
}

export function tell({ data }: EventOf<'turn.opened'>): Told {
  return { opened: data, ordinals: 0, ...atStart(data, 1) }
}

/** A new attempt: nothing of the one before it is left but its ordinals. */
export function startOver(told: Told, attempt: number): void {
  Object.assign(told, atStart(told.opened, attempt))
}

function atStart(opened: TurnOpened, attempt: number): Omit<Told, 'opened' | 'ordinals'> {
  const untrusted = opened.input.some(input => input.contentTrust === 'untrusted')
  return {
    attempt,
    trust: untrusted ? 'untrusted' : opened.contentTrust,
    worked: 0,
    rounds: 0,
    failures: 0,
    lastCompletion: 'clean',
    truncations: 0,
    invalid: new Set(),
    asks: 0,
    asking: null,
    cancelling: false,
    ended: null,
    doubt: false,
    calls: new Map(),
  }
}

export function newCall(ordinal: number, name: string, round: number): ToldCall {
  return {
    ordinal,
    name,
    round,
    judged: false,
    outcome: null,
    dispatch: 0,
    inFlight: false,
    failedTries: 0,
    openHold: null,
    grant: null,
    digest: null,
    succeeded: false,
    masked: false,
    miss: null,
    kept: false,
  }
}

export function descriptorOf(told: Told, call: ToldCall): ToolDescriptor | undefined {
  return told.opened.catalog.find(tool => tool.name === call.name)
}

/** Whether this party may decide as things stand: the acting person in the application, or whom the host listed while all is trusted. */
export function mayDecide(told: Told, approvers: readonly Approver[] | null, by: Principal, via: Via): boolean {
  const { principal } = told.opened
  const acts = principal?.kind === 'person' && by.kind === 'person' && principal.id === by.id && principal.issuer === by.issuer
  if (told.trust === 'untrusted') return acts && (via === 'app' || via === 'mcp')
  if (approvers === null) return acts
  return approvers.some(each => each.id === by.id && each.issuer === by.issuer && (each.kind ?? by.kind) === by.kind)
}

/** The gates that a verdict says it passed are the first ones of the order, or of the part that is judged again at dispatch. */
export function brokenTrail(trail: readonly string[], gate: string | null, admission: boolean): boolean {
  const order: readonly string[] = admission ? GATES : GATES.filter(name => trail.includes(name) || name === gate)
  const inOrder = trail.every((name, index) => name === order[index])
  const asked = gate === 'authorization' && trail.includes('authorization')
  return !inOrder || (gate !== null && !asked && order[trail.length] !== gate)
}
