// A person's decision over a hold or an ask: read, checked and decided from the server's record only (C5, C8, C10).

import { callOfApproval, resolve, type Decision, type Resolver } from '../approval.ts'
import { answerAsk } from '../clarification.ts'
import { argumentsDigest } from '../digest.ts'
import { ToolturnError, type ErrorCode } from '../errors.ts'
import type { Event, EventOf, Fact } from '../events.ts'
import { prepareArguments } from '../gates/arguments.ts'
import { redactArguments } from '../gates/redaction.ts'
import { parseApprovalId } from '../ids.ts'
import { misfitAnswer } from '../inquiry.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import { redactBounded } from '../redaction.ts'
import { callStateName, hasEnded, openInquiry, stateName, type CallInquiry, type CallState, type TurnState } from '../state.ts'
import type { Deciding, Resolution } from './api.ts'
import { readJsonValue, readPrincipal, readVia } from './door.ts'
import { writeUnowned, type Loaded, type Written } from './unowned.ts'

export type Wanted =
  | { readonly kind: 'approve'; readonly arguments?: unknown; readonly answers?: unknown }
  | { readonly kind: 'deny'; readonly reason?: string }

const REASON_CHARACTERS = 2_000
const WORDS = ['decision', 'arguments', 'answers', 'reason']

/** The exact words, and nothing else (C5). @throws ToolturnError `decision_invalid` */
export function readDecision(decision: unknown): Wanted {
  const given = copied(typeof decision === 'string' ? { decision } : decision, '`approve` or `deny`')
  if (!Object.keys(given).every(name => WORDS.includes(name))) throw invalidDecision(`none but ${WORDS.join(', ')}`)
  const { decision: word, reason, ...more } = given
  if (word === 'approve' && reason === undefined) return { kind: 'approve', ...more }
  if (word !== 'deny' || Object.keys(more).length > 0) throw invalidDecision('`approve` or `deny`')
  if (reason === undefined) return { kind: 'deny' }
  if (typeof reason !== 'string') throw invalidDecision('a text as the reason')
  return { kind: 'deny', reason }
}

/** A live object may show one value to the check and another to the call, so it is read once (C6). */
function copied(given: unknown, expected: string): JsonObject {
  let value: unknown
  try {
    value = readJsonValue('decision', given)
  } catch {
    throw invalidDecision(expected)
  }
  if (isJsonObject(value)) return value
  throw invalidDecision(expected)
}

function invalidDecision(expected: string, details: JsonObject = {}): ToolturnError {
  return new ToolturnError('decision_invalid', `The decision is not valid: expected ${expected}. The hold is as it was.`, {
    expected,
    ...details,
  })
}

/**
 * Resolves a hold.
 *
 * @throws ToolturnError `approval_not_found`, `approval_already_resolved` with the stored decision, `approval_expired` (the expiry
 *   is recorded by this very resolve), `approval_not_yours`, `approval_channel_refused`, `decision_invalid`, `turn_not_open`
 */
export async function resolveHold(ports: Ports, approvalId: string, wanted: Wanted, options: Deciding): Promise<Resolution> {
  const by = readPrincipal('as', options.as)
  const resolver: Resolver = { by, via: readVia(options.via) }
  const named = parseApprovalId(approvalId)
  if (named === null) throw new ToolturnError('approval_not_found', '', { approvalId })
  const written = await writeUnowned(ports, named.turnId, options.tenant, partyOf(by), async (loaded, now) => {
    const call = openHold(loaded, approvalId)
    const { decision, wholes } = await readWanted(ports, loaded.state, call, wanted)
    const fact = resolve(loaded.state, call, heldBy(call), resolver, decision, now)
    if (fact.type !== 'approval.turned-away' || heldBy(call).turnedAway < loaded.state.opened.limits.turnedAway)
      return { facts: [fact], wholes }
    throw turnedAway(fact, named.turnId)
  }).catch(asNotFound(approvalId))
  return answerFor(written.events, approvalId, named.turnId)
}

/** A turn that is not there, or not this tenant's, has no approval either. */
function asNotFound(approvalId: string): (error: unknown) => never {
  return error => {
    const missing = error instanceof ToolturnError && error.code === 'turn_not_found'
    throw missing ? new ToolturnError('approval_not_found', '', { approvalId }) : error
  }
}

function heldBy(call: CallState): NonNullable<CallState['hold']> {
  if (call.hold === null) throw new ToolturnError('internal', 'A held call has no hold.')
  return call.hold
}

/** The call whose open hold this is; else why there is none. */
function openHold({ state, events }: Loaded, approvalId: string): CallState {
  const stored = events.findLast(event => isResolution(event, approvalId))
  if (stored !== undefined) throw alreadyResolved(stored, approvalId)
  const call = callOfApproval(state, approvalId)
  const open = call !== null && callStateName(call) === 'held' && !hasEnded(state) && stateName(state) !== 'cancelling'
  if (open) return call
  if (!events.some(event => event.type === 'call.held' && event.data.approvalId === approvalId)) {
    throw new ToolturnError('approval_not_found', '', { approvalId })
  }
  throw new ToolturnError('turn_not_open', '', { turnId: state.turnId, approvalId, state: stateName(state) })
}

function isResolution(event: Event, approvalId: string): boolean {
  const resolves = event.type === 'approval.granted' || event.type === 'approval.denied' || event.type === 'approval.expired'
  return resolves && event.data.approvalId === approvalId
}

function alreadyResolved(event: Event, approvalId: string): ToolturnError {
  const { turnId, time } = event
  if (event.type === 'approval.expired')
    return new ToolturnError('approval_expired', '', { turnId, approvalId, deadline: event.data.deadline })
  const { by, via } = (event as EventOf<'approval.granted' | 'approval.denied'>).data
  const decision = event.type === 'approval.granted' ? 'granted' : 'denied'
  return new ToolturnError('approval_already_resolved', '', {
    turnId,
    approvalId,
    decision,
    by: { issuer: by.issuer, id: by.id },
    via,
    time,
  })
}

type ReadWanted = { readonly decision: Decision; readonly wholes: ReadonlyMap<number, JsonObject> }

async function readWanted(ports: Ports, state: TurnState, call: CallState, wanted: Wanted): Promise<ReadWanted> {
  if (wanted.kind === 'deny') {
    const reason = wanted.reason === undefined ? undefined : redactBounded(ports.redactor, wanted.reason, REASON_CHARACTERS)
    return { decision: { kind: 'deny', ...(reason === undefined ? {} : { reason }) }, wholes: new Map() }
  }
  const inquiry = openInquiry(call)
  if (inquiry !== null) return { decision: readAnswers(ports, inquiry, wanted), wholes: new Map() }
  if (wanted.answers !== undefined) throw invalidDecision('no answers: nothing was asked')
  if (wanted.arguments === undefined) return { decision: { kind: 'approve', edited: null }, wholes: new Map() }
  return readEdit(ports, state, call, wanted.arguments)
}

/** Each form has an answer that fits it, and nothing in them is masked: they are sent to the tool as they are recorded. */
function readAnswers(ports: Ports, { forms }: CallInquiry, wanted: Extract<Wanted, { kind: 'approve' }>): Decision {
  if (wanted.arguments !== undefined) throw invalidDecision('no edited arguments: the tool was started with them')
  const answers = copied(wanted.answers, 'an answer to each form')
  const misfit = misfitAnswer(forms, answers)
  if (misfit !== null) throw invalidDecision('answers that fit their forms', { form: misfit })
  if (ports.redactor.value(answers).changed) throw invalidDecision('answers without secrets, since they are recorded')
  return { kind: 'approve', edited: null, answers }
}

/** Edited arguments pass the arguments gate like any others; one that fails leaves the hold open (C6). */
async function readEdit(ports: Ports, state: TurnState, call: CallState, given: unknown): Promise<ReadWanted> {
  const descriptor = state.catalog.get(call.item.name)
  const secrets = await ports.store.secrets(state.turnId)
  if (descriptor === undefined || secrets === null) throw new ToolturnError('turn_not_found', '', { turnId: state.turnId })
  const checked = prepareArguments(descriptor, copied(given, 'an object as the edited arguments'))
  if (!checked.ok) throw invalidDecision('arguments that fit the tool', { problem: 'text' in checked.stop ? checked.stop.text : '' })
  const { prepared } = checked
  const { redacted, masked } = redactArguments(ports.redactor, descriptor, prepared)
  if (masked && ports.sealer === null) throw invalidDecision('arguments without secrets, since this host has no key to seal them with')
  const edited = { arguments: redacted, argumentsDigest: argumentsDigest(secrets.turnKey, descriptor.name, prepared), masked }
  return { decision: { kind: 'approve', edited }, wholes: masked ? new Map([[call.ordinal, prepared]]) : new Map() }
}

function answerFor(events: readonly Event[], approvalId: string, turnId: string): Resolution {
  const event = events[0]
  switch (event?.type) {
    case 'approval.granted':
      return { turnId, approvalId, ordinal: event.data.ordinal, decision: 'granted' }
    case 'approval.denied':
      return { turnId, approvalId, ordinal: event.data.ordinal, decision: 'denied' }
    case 'approval.expired':
      throw alreadyResolved(event, approvalId)
    case 'approval.turned-away':
      throw turnedAway(event, turnId)
    default:
      throw new ToolturnError('internal', 'A resolve wrote something else than a resolution.', { turnId })
  }
}

function turnedAway(fact: Fact, turnId: string): ToolturnError {
  const reason = 'reason' in fact.data ? fact.data.reason : undefined
  const code: ErrorCode = reason === 'channel' ? 'approval_channel_refused' : 'approval_not_yours'
  return new ToolturnError(code, '', { turnId, reason })
}

/** Answers the open ask of a turn (E3). @throws ToolturnError `turn_not_open`, `approval_expired`, `approval_not_yours`, … */
export async function answerTurn(ports: Ports, turnId: string, answer: unknown, options: Deciding): Promise<void> {
  const by = readPrincipal('as', options.as)
  const resolver: Resolver = { by, via: readVia(options.via) }
  const value = readJsonValue('answer', answer)
  const written = await writeUnowned(ports, turnId, options.tenant, partyOf(by), ({ state }, now): Written => {
    if (state.ask === null || stateName(state) !== 'asking' || state.chart.context.askExpired) throw notAsking(state)
    const fact = answerAsk(state, state.ask, resolver, ports.redactor.value(value).value, now)
    if (fact.type === 'clarification.turned-away' && state.ask.turnedAway >= state.opened.limits.turnedAway) throw turnedAway(fact, turnId)
    return { facts: [fact] }
  })
  const [event] = written.events
  if (event?.type === 'clarification.turned-away') throw turnedAway(event, turnId)
  if (event?.type === 'clarification.expired') throw new ToolturnError('approval_expired', '', { turnId, deadline: event.data.deadline })
}

function notAsking(state: TurnState): ToolturnError {
  const { turnId, ask } = state
  const answered = ask === null ? null : (state.calls.get(ask.ordinal)?.answer ?? null)
  if (answered !== null)
    return new ToolturnError('approval_already_resolved', 'The clarification was answered before.', { turnId, decision: 'answered' })
  if (state.chart.context.askExpired) return new ToolturnError('approval_expired', '', { turnId })
  return new ToolturnError('turn_not_open', '', { turnId, state: stateName(state) })
}

/** Who caused an event, as its envelope names them. */
export function partyOf({ kind, issuer, id }: { kind: 'person' | 'service'; issuer: string; id: string }) {
  return { kind, issuer, id } as const
}
