// Asking the acting person: the ask waits durably, is asked once, and is answered by that person only (section 6).

import type { Resolver, TurnedAway } from './approval.ts'
import type { Fact, FactOf } from './events.ts'
import type { Json } from './json.ts'
import { actingPerson, sameParty } from './principal.ts'
import type { Ask, CallState, TurnState } from './state.ts'
import { isoTime } from './time.ts'

/** The ask is shown and the run rests. @param now epoch milliseconds by the clock of the store */
export function askPerson(state: TurnState, call: CallState, now: number): FactOf<'clarification.asked'> {
  return {
    type: 'clarification.asked',
    data: {
      ordinal: call.ordinal,
      tool: call.item.name,
      arguments: call.prepared?.arguments ?? {},
      expiresAt: isoTime(now + state.opened.limits.clarificationLifetimeMs),
    },
  }
}

/** The event that an answer to the open ask makes (E3). */
export function answerAsk(state: TurnState, ask: Ask, resolver: Resolver, answer: Json, now: number): Fact {
  const bound = { ordinal: ask.ordinal }
  if (now >= ask.expiresAt) return askExpiry(ask)
  const reason = mayAnswer(state, resolver)
  if (reason !== null) return { type: 'clarification.turned-away', data: { ...bound, ...resolver, reason } }
  return { type: 'clarification.answered', data: { ...bound, ...resolver, answer } }
}

export function askExpiry(ask: Ask): FactOf<'clarification.expired'> {
  return { type: 'clarification.expired', data: { ordinal: ask.ordinal, deadline: isoTime(ask.expiresAt) } }
}

/** Only the acting person, and not by a link or a delegate: the answer is trusted as that person's word. */
function mayAnswer(state: TurnState, { by, via }: Resolver): TurnedAway | null {
  const acting = actingPerson(state.opened.principal)
  if (by.kind === 'service') return 'service'
  if (acting === null || !sameParty(acting, by)) return 'not-yours'
  return via === 'app' || via === 'mcp' ? null : 'channel'
}
