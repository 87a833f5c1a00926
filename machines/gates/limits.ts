// Gate 6: what is left. Caps end calls; repeats are suppressed (B8); an ask over its bound is refused (E1).

import { actingPerson } from '../principal.ts'
import { endedText, refusedAskText, suppressedText, type RepeatReason } from '../repair.ts'
import { callStateName, outcomeOf, type CallState, type TurnState } from '../state.ts'
import { ended, needed, pass, refused, type EndedReason, type Gate, type GateView, type Subject, type Verdict } from './gate.ts'

export const limitsGate: Gate = {
  name: 'limits',
  judge(subject, view) {
    const cap = capMet(subject, view)
    if (cap !== null) return ended(cap, endedText(cap))
    if (isAsk(subject, view)) return judgeAsk(subject, view)
    const repeat = earlierInRound(subject, view) ?? repeatOf(subject, view.state)
    if (repeat === null) return pass(subject)
    return { verdict: 'suppressed-repeat', reason: repeat.reason, text: suppressedText(repeat.reason, repeat.of), of: repeat.of }
  },
}

function capMet(subject: Subject, view: GateView): EndedReason | null {
  const { limits } = view.state.opened
  if (subject.position > limits.callsPerRound) return 'calls-per-round'
  if (view.judged.some(call => call.outcome !== 'stopped' && isAsk(call.subject, view))) return 'after-ask'
  if (view.state.calls.size + subject.position > limits.callsPerTurn) return 'calls-per-turn'
  if (view.state.rounds.length + 1 >= limits.rounds) return 'rounds'
  return null
}

function isAsk(subject: Subject, view: GateView): boolean {
  return view.state.opened.ask !== null && subject.name === view.state.opened.ask && actingPerson(view.state.opened.principal) !== null
}

/** Over its bound an ask is refused once; asked again, it ends the turn. */
function judgeAsk(subject: Subject, view: GateView): Verdict {
  if (view.state.asks < view.state.opened.limits.clarifications) return pass(subject)
  const refusedBefore = [...view.state.calls.values()].some(call => call.stop?.reason === 'clarifications')
  if (refusedBefore) return ended('clarifications', endedText('clarifications'))
  return refused('clarifications', refusedAskText())
}

type Repeat = { readonly reason: RepeatReason; readonly of: number }

/** (d): the same call stands earlier in the round, and the tool is not read-only. */
function earlierInRound(subject: Subject, view: GateView): Repeat | null {
  if (needed(subject, 'descriptor').replayPolicy === 'read-only') return null
  const same = view.judged.find(call => call.outcome !== 'stopped' && call.subject.argumentsDigest === subject.argumentsDigest)
  return same === undefined ? null : { reason: 'same-round', of: same.subject.ordinal }
}

/** (a), (b), (c): what became of the same call earlier in the attempt. The digest covers the tool's name as well. */
export function repeatOf(subject: Subject, state: TurnState): Repeat | null {
  const like = [...state.calls.values()].filter(
    call => call.ordinal !== subject.ordinal && call.prepared?.argumentsDigest === subject.argumentsDigest,
  )
  const readOnly = needed(subject, 'descriptor').replayPolicy === 'read-only'
  const bound = Math.max(1, state.opened.limits.repeats)

  const done = like.find(succeeded)
  if (!readOnly && done !== undefined) return { reason: 'executed', of: done.ordinal }
  const denied = like.find(call => call.deniedBy !== null)
  if (denied !== undefined) return { reason: 'denied', of: denied.ordinal }
  const errors = like.filter(call => call.recorded?.result.isError === true)
  const lastError = errors.at(-1)
  if (lastError !== undefined && errors.length >= bound) return { reason: 'errors', of: lastError.ordinal }
  return readOnly ? sameResults(like, bound) : null
}

/** (c): a read that gave the same result so many times in a row. A poll whose results change goes on. */
function sameResults(like: readonly CallState[], bound: number): Repeat | null {
  const results = like.filter(call => call.recorded !== null)
  const last = results.at(-1)
  if (last === undefined || results.length < bound) return null
  const same = results.slice(-bound).every(call => call.recorded?.digest === last.recorded?.digest)
  return same ? { reason: 'same-result', of: last.ordinal } : null
}

function succeeded(call: CallState): boolean {
  return outcomeOf(call) === 'executed' && callStateName(call) === 'executed' && call.recorded?.result.isError !== true
}
