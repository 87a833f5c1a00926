// Who may resolve a hold, and what a decision makes of it (section 4). Decided from the server's record only (C10).

import type { Fact, FactOf } from './events.ts'
import type { JsonObject } from './json.ts'
import { actingPerson, sameParty, type Approver, type Principal, type Via } from './principal.ts'
import { callStateName, type CallState, type Hold, type TurnState } from './state.ts'
import { isoTime } from './time.ts'

/** Who decided, as the host authenticated them, and by which lane. */
export type Resolver = { readonly by: Principal; readonly via: Via }

/** Why a resolve is turned away. */
export type TurnedAway = FactOf<'approval.turned-away'>['data']['reason']

/**
 * Null when this party may resolve this hold now, else why not.
 *
 * Untrusted: only the acting person, in the application (C3); over MCP only as the acting person too (E5). Trusted: those the
 * policy listed, by any lane, or the acting person (C4).
 */
export function mayResolve(state: TurnState, hold: Pick<Hold, 'approvers'> | null, resolver: Resolver): TurnedAway | null {
  const acting = actingPerson(state.opened.principal)
  const isActing = acting !== null && resolver.by.kind === 'person' && sameParty(acting, resolver.by)
  if (state.contentTrust === 'untrusted') {
    if (!isActing) return resolver.by.kind === 'service' ? 'service' : 'not-yours'
    return resolver.via === 'app' || resolver.via === 'mcp' ? null : 'channel'
  }
  const approvers = hold?.approvers ?? null
  if (approvers === null) return isActing ? null : 'not-yours'
  return approvers.some(approver => matches(approver, resolver.by)) ? null : 'not-yours'
}

function matches(approver: Approver, party: Principal): boolean {
  return sameParty(approver, party) && (approver.kind === undefined || approver.kind === party.kind)
}

/** The call that a hold is bound to; null when the id names none of this attempt (C5). */
export function callOfApproval(state: TurnState, approvalId: string): CallState | null {
  for (const call of state.calls.values()) if (call.hold?.approvalId === approvalId) return call
  return null
}

export type Decision =
  | { readonly kind: 'approve'; readonly edited: FactOf<'approval.granted'>['data']['edited']; readonly answers?: JsonObject }
  | { readonly kind: 'deny'; readonly reason?: string }

/**
 * The event that a decision over an open hold makes.
 *
 * At or past the deadline it is the expiry, whoever decides (C5); by a party that may not, it is turned away and the hold stays.
 *
 * @param now epoch milliseconds by the clock of the store
 */
export function resolve(state: TurnState, call: CallState, hold: Hold, resolver: Resolver, decision: Decision, now: number): Fact {
  const bound = { approvalId: hold.approvalId, ordinal: call.ordinal }
  if (now >= hold.expiresAt) return expiry(call.ordinal, hold)
  const reason = mayResolve(state, hold, resolver)
  if (reason !== null) return { type: 'approval.turned-away', data: { ...bound, ...resolver, reason } }
  switch (decision.kind) {
    case 'approve': {
      const { kind: _, ...given } = decision
      return { type: 'approval.granted', data: { ...bound, ...resolver, contentTrust: state.contentTrust, ...given } }
    }
    case 'deny':
      return {
        type: 'approval.denied',
        data: { ...bound, ...resolver, ...(decision.reason === undefined ? {} : { reason: decision.reason }) },
      }
  }
}

/** The expiry of a hold. */
function expiry(ordinal: number, hold: Hold): FactOf<'approval.expired'> {
  return { type: 'approval.expired', data: { approvalId: hold.approvalId, ordinal, deadline: isoTime(hold.expiresAt) } }
}

/** The holds of a turn that are past their deadline. */
export function expiredHolds(state: TurnState, now: number): readonly FactOf<'approval.expired'>[] {
  return [...state.calls.values()].flatMap(call =>
    callStateName(call) === 'held' && call.hold !== null && now >= call.hold.expiresAt ? [expiry(call.ordinal, call.hold)] : [],
  )
}
