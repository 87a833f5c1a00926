// Events on their way into a stream: chained, folded, not yet committed. What is appended is what was folded.

import { chain, type Stamp } from '../chain.ts'
import type { Event, Fact, StoredEvent } from '../events.ts'
import { parseEvent, step } from '../fold.ts'
import type { TurnState } from '../state.ts'

export type Draft = {
  /** The state the draft stands on. */
  readonly base: TurnState
  /** The state after its events. */
  readonly state: TurnState
  readonly events: readonly StoredEvent[]
}

export function startDraft(state: TurnState): Draft {
  return { base: state, state, events: [] }
}

/**
 * Puts facts behind a draft.
 *
 * @param salt gives 16 random bytes in hexadecimal
 * @throws ToolturnError `illegal_history` when a fact is no edge from there, or its payload does not fit its schema: found before
 *   anything is written
 */
export function put(draft: Draft, facts: readonly Fact[], stamp: Stamp, salt: () => string): Draft {
  const events = chain({ version: draft.state.version, hash: draft.state.head }, facts, stamp, salt)
  // Through the same door as when it is read: what could not be read again is never written.
  const state = events.reduce((folded, event) => step(folded, parseEvent(event)), draft.state)
  return { base: draft.base, state, events: [...draft.events, ...events] }
}

/** An event that this process has just made, without the parts that only the store keeps. */
export function asEvent(stored: StoredEvent): Event {
  const { salt: _salt, dataHash: _dataHash, ...event } = stored
  return event as Event
}
