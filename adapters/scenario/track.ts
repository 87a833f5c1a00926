// The turn of a run, read off its stream as it grows.

import type { Event } from '../../machines/events.ts'
import { fold, foldOn, parseEvent } from '../../machines/fold.ts'
import { hasEnded, stateName, type CallState, type TurnState } from '../../machines/state.ts'
import type { Desk } from './desk.ts'

export type Track = {
  readonly turnId: string
  readonly state: () => TurnState
  readonly events: () => readonly Event[]
  /** Reads what is new. */
  readonly readOn: () => Promise<readonly Event[]>
}

export async function startTrack(desk: Desk, turnId: string): Promise<Track> {
  const read = async (after: number) => (await desk.read(turnId, after)).map(parseEvent)
  const events = [...(await read(0))]
  let state = fold(events)
  return {
    turnId,
    state: () => state,
    events: () => events,
    readOn: async () => {
      const fresh = await read(state.version)
      state = foldOn(state, fresh)
      events.push(...fresh)
      return fresh
    },
  }
}

/** True when nothing happens any more unless somebody acts. */
export function isAtRest(state: TurnState): boolean {
  const name = stateName(state)
  return hasEnded(state) || name === 'holding' || name === 'asking'
}

/** The calls of this attempt that a reference names: by the id of the provider, or by `#<ordinal>`. */
export function callsNamed(state: TurnState, reference: string): readonly CallState[] {
  return [...state.calls.values()].filter(call => nameOf(call) === reference || `#${call.ordinal}` === reference)
}

/** The id that the provider gave, else `#<ordinal>`. */
export function nameOf({ item, ordinal }: CallState): string {
  return item.providerId === null || item.providerId === '' ? `#${ordinal}` : item.providerId
}
