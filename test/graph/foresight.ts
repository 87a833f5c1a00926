// Reading ahead in a history: what a world has to know in order to bring it about.

import type { Event, EventOf, Fact, FactOf, StoredEvent } from '../../machines/events.ts'
import { leavesDoubt } from '../../machines/fold.ts'
import type { LimitOptions } from '../../machines/limits.ts'

/** How many facts of the history came about, from the first on. */
export function followedBy(history: readonly Fact[], events: readonly StoredEvent[]): number {
  const strayed = history.findIndex((fact, index) => {
    const event = events[index]
    return event === undefined || !isSame(fact, event as Event)
  })
  return strayed === -1 ? history.length : strayed
}

/** The same step of the law; texts, times and digests aside. */
function isSame(fact: Fact, event: Event): boolean {
  if (fact.type !== event.type) return false
  switch (fact.type) {
    case 'round.recorded': {
      const { data } = event as EventOf<'round.recorded'>
      return JSON.stringify(roundShape(fact.data)) === JSON.stringify(roundShape(data))
    }
    case 'call.recorded':
      return fact.data.truncated === (event as EventOf<'call.recorded'>).data.truncated && ordinalOf(fact) === ordinalOf(event)
    case 'call.settled':
      return fact.data.settled === (event as EventOf<'call.settled'>).data.settled && ordinalOf(fact) === ordinalOf(event)
    case 'turn.failed':
      return leavesDoubt(fact.data.code) === leavesDoubt((event as EventOf<'turn.failed'>).data.code)
    default:
      return ordinalOf(fact) === ordinalOf(event)
  }
}

function roundShape({ completion, items, output }: FactOf<'round.recorded'>['data']) {
  return [completion, output?.valid ?? true, items.map(item => (item.kind === 'call' ? item.name : item.kind))]
}

/** The call that a fact is about; null where it is about none. */
export function ordinalOf(fact: Fact | Event): number | null {
  return 'ordinal' in fact.data && typeof fact.data.ordinal === 'number' ? fact.data.ordinal : null
}

/** The next fact about a call. */
export function nextAbout(history: readonly Fact[], from: number, ordinal: number): Fact | undefined {
  return history.slice(from).find(fact => ordinalOf(fact) === ordinal)
}

/** True when the turn runs out of time right behind a fact: its open calls end, and so does it. */
export function runsOutBehind(history: readonly Fact[], index: number): boolean {
  const fact = history[index]
  const verdicts = fact?.type === 'round.recorded' ? fact.data.items.filter(item => item.kind === 'call').length : 0
  const behind = history.slice(index + 1 + verdicts).find(each => each.type !== 'call.ended' && each.type !== 'call.admitted')
  return behind?.type === 'turn.exhausted'
}

/** True when this record is of a run that timed out, and its completion is a fact later on. */
export function comesLate(history: readonly Fact[], index: number, ordinal: number): boolean {
  return history.slice(index + 1).some(fact => fact.type === 'call.late' && ordinalOf(fact) === ordinal)
}

/** Limits under which the loop takes this history rather than another one. */
export function limitsFor(history: readonly Fact[]): LimitOptions {
  const capped = history.flatMap((fact, index) => (fact.type === 'round.recorded' ? [callsGoingOn(history, index, fact)] : []))
  const doubt = history.find(fact => fact.type === 'turn.failed' && leavesDoubt(fact.data.code))
  const failed = history.findIndex(fact => fact.type === 'turn.failed')
  const last = history.slice(0, Math.max(0, failed)).findLast(fact => fact.type !== 'call.invalid')
  const started = history.filter(fact => fact.type === 'call.dispatched' && doubt !== undefined && ordinalOf(fact) === ordinalOf(doubt))
  return {
    callsPerRound: Math.min(16, ...capped),
    concurrentReads: runsTogether(history) ? 4 : 1,
    ...(started.length > 0 ? { dispatches: started.length } : {}),
    ...(last?.type === 'round.recorded' && last.data.completion === 'truncated' ? { truncationRetries: 0 } : {}),
    ...(last?.type === 'round.recorded' && last.data.output?.valid === false ? { schemaRepairs: 0 } : {}),
  }
}

/** How many calls of a round go on before a cap ends the others. */
function callsGoingOn(history: readonly Fact[], index: number, { data }: FactOf<'round.recorded'>): number {
  const calls = data.items.flatMap(item => (item.kind === 'call' ? [item.ordinal] : []))
  const cancelled = history.slice(0, index).some(fact => fact.type === 'turn.cancelling')
  const ended = cancelled ? -1 : calls.findIndex(ordinal => nextAbout(history, index, ordinal)?.type === 'call.ended')
  return ended === -1 ? 16 : ended
}

function runsTogether(history: readonly Fact[]): boolean {
  const running = new Set<number | null>()
  for (const fact of history) {
    if (fact.type === 'call.dispatched') running.add(ordinalOf(fact))
    if (fact.type === 'call.recorded' || fact.type === 'call.inquired' || fact.type === 'call.settled') running.delete(ordinalOf(fact))
    if (running.size > 1) return true
  }
  return false
}
