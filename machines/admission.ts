// Admission: every call of a round through the gates, in the model's order, before any of them runs (B1, B2).
// The order of the list is the contract.

import type { RoundCall } from './events/round.ts'
import type { FactOf } from './events.ts'
import { argumentsGate } from './gates/arguments.ts'
import { authorizationGate } from './gates/authorization.ts'
import { completionGate } from './gates/completion.ts'
import { needed, type Gate, type GateHost, type GateView, type Judged, type Subject, type Verdict } from './gates/gate.ts'
import { limitsGate } from './gates/limits.ts'
import { nameGate } from './gates/name.ts'
import { redactionGate } from './gates/redaction.ts'
import { trustGate } from './gates/trust.ts'
import { approvalId, hostCallId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { ModelItem, ModelRound } from './ports/model.ts'
import { redactCallText, redactName, redactUnmaskable } from './redaction.ts'
import { meet } from './remember.ts'
import type { TurnState } from './state.ts'
import { isoTime } from './time.ts'

/** completion → name → arguments → trust → authorization → limits → redaction; then dispatch and record. */
// biome-ignore format: one gate a line, since their order is the contract
export const ADMISSION: readonly Gate[] = [
  completionGate,
  nameGate,
  argumentsGate,
  trustGate,
  authorizationGate,
  limitsGate,
  redactionGate,
]

export type VerdictFact = FactOf<'call.admitted' | 'call.held' | 'call.invalid' | 'call.refused' | 'call.suppressed' | 'call.ended'>

/** The verdict over one call, and what of the call may be recorded. */
export type Admitted = {
  readonly item: RoundCall
  readonly fact: VerdictFact
  /** The whole prepared arguments, where the recorded ones are masked and the call may yet run. */
  readonly whole: JsonObject | null
}

/**
 * Judges the calls of a round.
 *
 * @param state before the round is recorded
 * @param now epoch milliseconds by the clock of the store, from which the lifetime of a hold counts
 */
export async function admit(round: ModelRound, state: TurnState, host: GateHost, now: number): Promise<readonly Admitted[]> {
  const calls = round.items.filter(item => item.kind === 'call')
  const ranAtProvider = round.items.some(item => item.kind === 'provider-tool')
  const contentTrust = meet(state.contentTrust, ranAtProvider ? 'untrusted' : 'trusted')
  const judged: Judged[] = []
  const admitted: Admitted[] = []
  for (const [index, call] of calls.entries()) {
    const view: GateView = { state, completion: round.completion, contentTrust, judged, host }
    const subject: Subject = { ordinal: state.nextOrdinal + index, position: index + 1, name: call.name, text: call.arguments }
    const passage = await runGates(ADMISSION, subject, view)
    judged.push({ subject: passage.subject, outcome: outcomeFor(passage) })
    admitted.push(record(call, passage, view, now))
  }
  return admitted
}

/** How far a call came: the gates it passed, and the verdict that stopped it, if one did. */
export type Passage = {
  readonly subject: Subject
  readonly trail: readonly Gate['name'][]
  readonly stop: { readonly gate: Gate['name']; readonly verdict: Exclude<Verdict, { verdict: 'pass' }> } | null
}

/** Runs the gates in order and stops at the first no. */
export async function runGates(gates: readonly Gate[], subject: Subject, view: GateView): Promise<Passage> {
  let passing = subject
  const trail: Gate['name'][] = []
  for (const gate of gates) {
    const verdict = await gate.judge(passing, view)
    if (verdict.verdict !== 'pass') return { subject: passing, trail, stop: { gate: gate.name, verdict } }
    passing = verdict.subject
    trail.push(gate.name)
  }
  return { subject: passing, trail, stop: null }
}

function outcomeFor(passage: Passage): Judged['outcome'] {
  if (passage.stop !== null) return 'stopped'
  return passage.subject.question === undefined ? 'admitted' : 'held'
}

function record(call: Extract<ModelItem, { kind: 'call' }>, passage: Passage, view: GateView, now: number): Admitted {
  const { subject } = passage
  const { redactor } = view.host
  const name = redactName(redactor, call.name)
  const extra = redactUnmaskable(redactor, call.extra)
  const text = redactCallText(redactor, view.state.catalog.get(call.name), call.arguments)
  const item: RoundCall = {
    kind: 'call',
    ordinal: subject.ordinal,
    id: hostCallId(subject.ordinal),
    providerId: call.id === null ? null : redactName(redactor, call.id),
    name,
    arguments: text.text,
    masked: text.masked,
    ...(extra === undefined ? {} : { extra }),
  }
  const fact = verdictFact(passage, name, view.state, 0, now)
  const mayRun = passage.stop === null && subject.masked === true
  return { item, fact, whole: mayRun ? needed(subject, 'prepared') : null }
}

/**
 * The event of a verdict.
 *
 * @param holds how many holds this call raised before
 */
export function verdictFact(passage: Passage, tool: string, state: TurnState, holds: number, now: number): VerdictFact {
  const { subject, stop } = passage
  const trail = [...passage.trail]
  const { ordinal } = subject
  if (stop === null)
    return subject.question === undefined ? admittedFact(subject, tool, trail) : heldFact(subject, tool, trail, state, holds, now)
  const { gate, verdict } = stop
  const { reason, text } = verdict
  switch (verdict.verdict) {
    case 'invalid':
      return { type: 'call.invalid', data: { ordinal, tool, gate, trail, reason, text } }
    case 'refused':
      return { type: 'call.refused', data: { ordinal, tool, gate, trail, reason, text } }
    case 'ended-turn':
      return { type: 'call.ended', data: { ordinal, tool, gate, trail, reason: reason as FactOf<'call.ended'>['data']['reason'], text } }
    case 'suppressed-repeat':
      return {
        type: 'call.suppressed',
        data: { ordinal, tool, gate, trail, reason, text, of: verdict.of, argumentsDigest: needed(subject, 'argumentsDigest') },
      }
  }
}

function prepared(subject: Subject) {
  return {
    descriptor: needed(subject, 'descriptor').version,
    arguments: needed(subject, 'redacted'),
    argumentsDigest: needed(subject, 'argumentsDigest'),
    masked: needed(subject, 'masked'),
  }
}

function admittedFact(subject: Subject, tool: string, trail: Gate['name'][]): VerdictFact {
  return { type: 'call.admitted', data: { ordinal: subject.ordinal, tool, ...prepared(subject), trail } }
}

function heldFact(subject: Subject, tool: string, trail: Gate['name'][], state: TurnState, holds: number, now: number): VerdictFact {
  const { reason, approvers, forms } = needed(subject, 'question')
  return {
    type: 'call.held',
    data: {
      ordinal: subject.ordinal,
      tool,
      ...prepared(subject),
      gate: 'authorization',
      trail,
      approvalId: approvalId(state.turnId, subject.ordinal, holds + 1),
      contentTrust: needed(subject, 'contentTrust'),
      approvers: approvers === null ? null : [...approvers],
      expiresAt: isoTime(now + state.opened.limits.approvalLifetimeMs),
      reason,
      ...(forms === undefined ? {} : { forms }),
    },
  }
}
