// Judged again before it starts: an approval is not an authorization, and the bit may have fallen since admission (C7, C9).

import { runGates, verdictFact, type Passage, type VerdictFact } from './admission.ts'
import { authorize, driftOf } from './gates/authorization.ts'
import { needed, pass, refused, type Gate, type GateHost, type GateView, type Subject } from './gates/gate.ts'
import { repeatOf } from './gates/limits.ts'
import { redactionGate } from './gates/redaction.ts'
import { mayResolve } from './approval.ts'
import type { JsonObject } from './json.ts'
import { actingPerson } from './principal.ts'
import { authorizationText, lostArgumentsText, suppressedText } from './repair.ts'
import { callStateName, type CallState, type TurnState } from './state.ts'

/** The whole prepared arguments of a call; null when they were masked and their real value is gone with its process (D11). */
export type Whole = JsonObject | null

/** What follows for a call that is next: it may start, or a verdict to be recorded first. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly fact: VerdictFact }

/**
 * Judges an admitted or granted call with the policy, the descriptor and the bit of this moment.
 *
 * A granted call always gives a fact: `call.admitted` when it may go on.
 *
 * @param now epoch milliseconds by the clock of the store
 */
export async function judgeAgain(call: CallState, state: TurnState, whole: Whole, host: GateHost, now: number): Promise<Readiness> {
  const view: GateView = { state, completion: 'clean', contentTrust: state.contentTrust, judged: [], host }
  const passage = await runGates(gatesFor(call), subjectOf(call, state, whole), view)
  const answered = answerByGrant(passage, call, state)
  const goesOn = answered.stop === null && answered.subject.question === undefined
  if (goesOn && callStateName(call) === 'admitted') return { ready: true }
  return { ready: false, fact: verdictFact(answered, call.item.name, state, call.holds, now) }
}

function gatesFor(call: CallState): readonly Gate[] {
  if (callStateName(call) === 'inquiring') return [stillAuthorizedGate, inquiryGate(call), wholeGate]
  return callStateName(call) === 'granted' ? AFTER_GRANT : AT_DISPATCH
}

function subjectOf(call: CallState, state: TurnState, whole: Whole): Subject {
  const descriptor = state.catalog.get(call.item.name)
  const { prepared } = call
  return {
    ordinal: call.ordinal,
    position: 1,
    name: call.item.name,
    text: null,
    contentTrust: state.contentTrust,
    ...(descriptor === undefined ? {} : { descriptor }),
    ...(whole === null ? {} : { prepared: whole }),
    ...(prepared === null ? {} : { argumentsDigest: prepared.argumentsDigest }),
  }
}

/** The tool is still there, as it was when the turn opened, and the principal may still use it. */
const stillAuthorizedGate: Gate = {
  name: 'authorization',
  judge(subject, view) {
    const drift = driftOf(needed(subject, 'descriptor'), view.host)
    if (drift !== null) return refused(drift, authorizationText(drift))
    // Without its arguments nothing can be judged, and the last gate refuses it.
    return subject.prepared === undefined ? pass(subject) : authorize(subject, view.state, view.host)
  },
}

/** An edited call may have become one that was made already (B8). */
const repeatsGate: Gate = {
  name: 'limits',
  judge(subject, view) {
    const repeat = repeatOf(subject, view.state)
    if (repeat === null) return pass(subject)
    return { verdict: 'suppressed-repeat', reason: repeat.reason, text: suppressedText(repeat.reason, repeat.of), of: repeat.of }
  },
}

/** An edit may have made a call that stands before it, and ran meanwhile, the same as this one (B8). Reads were judged together. */
const overtakenGate: Gate = {
  name: 'limits',
  judge: (subject, view) => (needed(subject, 'descriptor').replayPolicy === 'read-only' ? pass(subject) : repeatsGate.judge(subject, view)),
}

/** Only the acting person is asked what a tool wants to know; whether the call may run is asked again once that is answered. */
function inquiryGate({ inquiry }: CallState): Gate {
  return {
    name: 'authorization',
    judge(subject, view) {
      if (inquiry === null || actingPerson(view.state.opened.principal) === null) {
        return refused('nobody-to-ask', authorizationText('nobody-to-ask'))
      }
      return pass({ ...subject, question: { reason: 'inquiry', approvers: null, forms: inquiry.forms } })
    },
  }
}

/** A call whose real arguments are gone never runs with the mask. */
const wholeGate: Gate = {
  name: 'redaction',
  judge: (subject, view) =>
    subject.prepared === undefined ? refused('arguments-lost', lostArgumentsText()) : redactionGate.judge(subject, view),
}

const AT_DISPATCH: readonly Gate[] = [stillAuthorizedGate, overtakenGate, wholeGate]
const AFTER_GRANT: readonly Gate[] = [stillAuthorizedGate, repeatsGate, wholeGate]

/** A grant answers the question, unless the bit fell and it was not the acting person's (C9). */
function answerByGrant(passage: Passage, call: CallState, state: TurnState): Passage {
  if (passage.subject.question === undefined || passage.subject.question.forms !== undefined || call.grant === null) return passage
  const { by, via, approvers } = call.grant
  const stands = mayResolve(state, { approvers }, { by, via }) === null
  if (!stands) return passage
  const { question: _answered, ...subject } = passage.subject
  return { ...passage, subject }
}
