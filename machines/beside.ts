// Rows that change in the same statement as the events: the inbox, and sealed arguments (D11).

import type { Event } from './events.ts'
import type { JsonObject } from './json.ts'
import { canonicalJson } from './json.ts'
import type { ApprovalRow, Beside } from './ports/rows.ts'
import type { Sealer } from './ports/world.ts'
import { actingPerson } from './principal.ts'
import { isOpen, type Ask, type CallState, type Hold, type TurnState } from './state.ts'
import { epochMs } from './time.ts'

/** What a box is bound to: it opens for no other call. */
export function sealContext(turnId: string, ordinal: number): string {
  return `${turnId}:${ordinal}`
}

type Settled = NonNullable<ApprovalRow['settled']>

/**
 * The rows that go with events.
 *
 * @param before the state the events stand on; null when they open the turn
 * @param wholes real arguments of calls whose recorded ones are masked
 */
export function besideOf(
  before: TurnState | null,
  events: readonly Event[],
  after: TurnState,
  wholes: ReadonlyMap<number, JsonObject>,
  sealer: Sealer | null,
): Beside {
  const approvals = { open: events.flatMap(event => openedRow(event, after)), settle: settledRows(before, events, after) }
  const sealed = { put: sealer === null ? [] : boxes(events, after, wholes, sealer), drop: before === null ? [] : dropped(before, after) }
  return {
    ...(approvals.open.length + approvals.settle.length > 0 ? { approvals } : {}),
    ...(sealed.put.length + sealed.drop.length > 0 ? { sealed } : {}),
  }
}

function openedRow(event: Event, state: TurnState): ApprovalRow[] {
  const acting = actingPerson(state.opened.principal)
  const common = {
    turnId: state.turnId,
    tenant: state.tenant,
    acting: acting === null ? null : { issuer: acting.issuer, id: acting.id },
    openedAt: epochMs(event.time),
    settled: null,
  }
  if (event.type === 'call.held') {
    const { approvalId, ordinal, tool, arguments: args, contentTrust, approvers, reason, expiresAt, forms } = event.data
    return [
      {
        ...common,
        approvalId,
        ordinal,
        kind: 'approval',
        tool,
        arguments: forms === undefined ? args : { arguments: args, forms },
        contentTrust,
        approvers,
        reason,
        expiresAt: epochMs(expiresAt),
      },
    ]
  }
  if (event.type === 'clarification.asked') {
    const { ordinal, tool, arguments: args, expiresAt } = event.data
    const asked = { approvers: null, reason: 'asked', contentTrust: state.contentTrust, expiresAt: epochMs(expiresAt) }
    return [
      { ...common, ...asked, approvalId: clarificationId(state.turnId, ordinal), ordinal, kind: 'clarification', tool, arguments: args },
    ]
  }
  return []
}

/** Under what a clarification stands in the inbox. */
function clarificationId(turnId: string, ordinal: number): string {
  return `${turnId}.${ordinal}.0`
}

function settledRows(before: TurnState | null, events: readonly Event[], after: TurnState) {
  const rows: { approvalId: string; settled: Settled }[] = []
  for (const event of events) {
    switch (event.type) {
      case 'approval.granted':
        rows.push({ approvalId: event.data.approvalId, settled: 'granted' })
        break
      case 'approval.denied':
        rows.push({ approvalId: event.data.approvalId, settled: 'denied' })
        break
      case 'approval.expired':
        rows.push({ approvalId: event.data.approvalId, settled: 'expired' })
        break
      case 'clarification.answered':
        rows.push({ approvalId: clarificationId(after.turnId, event.data.ordinal), settled: 'answered' })
        break
      case 'clarification.expired':
        rows.push({ approvalId: clarificationId(after.turnId, event.data.ordinal), settled: 'expired' })
        break
      case 'call.ended': {
        const { ordinal } = event.data
        const hold = undecided(after.calls.get(ordinal) ?? before?.calls.get(ordinal))
        if (hold !== null) rows.push({ approvalId: hold.approvalId, settled: 'closed' })
        break
      }
      case 'turn.cancelled':
      case 'turn.exhausted':
        if (before !== null && before.ask !== null && isUnanswered(before, before.ask)) {
          rows.push({ approvalId: clarificationId(after.turnId, before.ask.ordinal), settled: 'closed' })
        }
        break
      default:
        break
    }
  }
  return rows
}

/**
 * The hold of a call that ends: nobody decided it, or it would have no open one. It may have been raised by this very append; and
 * a retry ends calls that the state after it does not hold any more.
 */
function undecided(call: CallState | undefined): Hold | null {
  return call === undefined || call.hold === null || call.hold.granted ? null : call.hold
}

/** The ask still waited when the turn ended, or when it began to be cancelled. */
function isUnanswered(state: TurnState, ask: Ask): boolean {
  return state.calls.get(ask.ordinal)?.answer === null && !state.chart.context.askExpired
}

/** Masked calls that begin, or whose arguments a person edited, are sealed whole. */
function boxes(events: readonly Event[], after: TurnState, wholes: ReadonlyMap<number, JsonObject>, sealer: Sealer) {
  const ordinals = new Set<number>()
  for (const event of events) {
    if ((event.type === 'call.admitted' || event.type === 'call.held') && event.data.masked) ordinals.add(event.data.ordinal)
    if (event.type === 'approval.granted' && event.data.edited?.masked === true) ordinals.add(event.data.ordinal)
  }
  return [...ordinals].flatMap(ordinal => {
    const whole = wholes.get(ordinal)
    const call = after.calls.get(ordinal)
    if (whole === undefined || call === undefined || !isOpen(call)) return []
    return [{ ordinal, box: sealer.seal(new TextEncoder().encode(canonicalJson(whole)), sealContext(after.turnId, ordinal)) }]
  })
}

/** Sealed arguments go when their call is settled; while it is in doubt they are kept. */
function dropped(before: TurnState, after: TurnState): number[] {
  const kept = (call: CallState | undefined) => call !== undefined && isOpen(call) && call.prepared?.masked === true
  return [...before.calls.values()].filter(call => kept(call) && !kept(after.calls.get(call.ordinal))).map(call => call.ordinal)
}
