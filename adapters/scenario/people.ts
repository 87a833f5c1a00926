// People: each acts once, when the event that they wait for is there.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../machines/events.ts'
import { approvalId } from '../../machines/ids.ts'
import type { TurnState } from '../../machines/state.ts'
import type { Desk } from './desk.ts'
import type { Person } from './format.ts'
import { callsNamed, type Track } from './track.ts'

export type People = {
  /** Whoever waited for one of these events acts, one after the other in the order of the file. */
  readonly see: (fresh: readonly Event[], state: TurnState) => void
  /** True when nobody who may act has still to. */
  readonly areDone: () => boolean
  /** @throws what went wrong while one acted */
  readonly check: () => void
  /** The words they got back, one for each sending, in the order of the file. */
  readonly words: () => readonly string[]
}

export function peopleOf(persons: readonly Person[], desk: Desk, track: Track): People {
  const waiting = new Map(persons.entries())
  const words = new Map<number, readonly string[]>()
  const failures: unknown[] = []
  let acting = 0
  let last = Promise.resolve()

  const act = async (index: number, person: Person) => {
    if (person.advanceMs !== undefined) await desk.advance(person.advanceMs)
    const approval = approvalOf(track.state(), person)
    const sendings = Array.from({ length: person.times ?? 1 }, () => desk.act(track.turnId, approval, person))
    words.set(index, (await Promise.all(sendings)).toSorted(firstsFirst))
  }
  const takeTurn = async (index: number, person: Person) => {
    if (person.afterMs !== undefined) await sleep(person.afterMs)
    last = last.then(() => act(index, person)).catch((error: unknown) => void failures.push(error))
    await last
  }
  return {
    see: (fresh, state) => {
      for (const [index, person] of [...waiting]) {
        if (!fresh.some(event => isAwaited(person, event, state))) continue
        waiting.delete(index)
        acting += 1
        void takeTurn(index, person).finally(() => (acting -= 1))
      }
    },
    areDone: () => acting === 0,
    check: () => {
      if (failures.length > 0) throw failures[0]
    },
    words: () => persons.flatMap((_, index) => words.get(index) ?? []),
  }
}

/** What was sent at once came in no order: the one that counted is named first. */
function firstsFirst(a: string, b: string): number {
  const rank = (word: string) => (['granted', 'denied', 'answered', 'cancelled'].includes(word) ? 0 : 1)
  return rank(a) - rank(b)
}

/** Of an event that is about no call in particular, any will do. */
function isAwaited({ on, call }: Person, event: Event, state: TurnState): boolean {
  if (on !== event.type) return false
  if (call === undefined || !('ordinal' in event.data)) return true
  const { ordinal } = event.data
  return callsNamed(state, call).some(named => named.ordinal === ordinal)
}

/** The hold of the call that is meant; where it has none, the one that it would have. */
function approvalOf(state: TurnState, { call }: Person): string {
  const named = call === undefined ? undefined : callsNamed(state, call).at(-1)
  return named?.hold?.approvalId ?? approvalId(state.turnId, named?.ordinal ?? state.nextOrdinal, 1)
}
