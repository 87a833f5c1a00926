// What must hold of one append as a whole, and of who makes it.

import type { Event } from '../../machines/events.ts'
import type { Append, OpenTurn } from '../../machines/ports/store.ts'
import { epochMs } from '../../machines/time.ts'
import type { Recorded, RecordsOptions } from './records.ts'

/** How far event times and decisions may lie apart where all is prompt. */
const PROMPT_MS = 100

export function brokenWrite(record: Recorded, write: Append | OpenTurn, options: RecordsOptions): readonly string[] {
  if (record.state.opened.fork !== null && 'owner' in write) return []
  const events = record.events.slice(record.events.length - write.events.length)
  return events.flatMap(event => [
    ...brokenIntent(record, event, events),
    ...brokenTake(record, event),
    ...brokenDecision(record, event, options),
    ...brokenDoubt(record, event, options),
  ])
}

/** The intent of an at-most-once call is an append of its own. */
function brokenIntent({ state }: Recorded, event: Event, events: readonly Event[]): readonly string[] {
  if (event.type !== 'call.dispatched' || state.catalog.get(event.data.tool)?.replayPolicy !== 'at-most-once') return []
  return events.length === 1 ? [] : ['D2: the intent of an at-most-once call rides along']
}

/** A short form serves only the driver that recorded it; whoever takes over runs the call again before anything new begins. */
function brokenTake({ events, written, told, state }: Recorded, event: Event): readonly string[] {
  const begins = event.type === 'round.recorded' || event.type === 'call.admitted'
  if (!begins || event.actor.kind !== 'worker' || state.opened.fork !== null) return []
  const missed = [...told.calls.values()].filter(call => call.miss !== null && !call.kept && !call.inFlight)
  const stale = missed.filter(({ miss }) => {
    const owners = events.slice((miss ?? 0) - 1, event.version).filter(each => each.actor.kind === 'worker')
    return owners.some((each, index) => {
      const before = owners[index - 1]
      return before !== undefined && before.actor.id !== each.actor.id && written[before.version - 1]?.rests !== true
    })
  })
  return stale.map(({ ordinal }) => `D9: the short form of call ${ordinal} is served by a worker that took the turn over`)
}

/** Nobody decides over a hold that is past its deadline; where all is prompt, the time of the event says when it was decided. */
function brokenDecision({ events }: Recorded, event: Event, { promptNow }: RecordsOptions): readonly string[] {
  if (promptNow === null || (event.type !== 'approval.granted' && event.type !== 'approval.denied')) return []
  const hold = events.find(each => each.type === 'call.held' && each.data.approvalId === event.data.approvalId)
  const deadline = hold?.type === 'call.held' ? epochMs(hold.data.expiresAt) : Infinity
  return promptNow() > deadline + PROMPT_MS ? ['C5: a decision is taken after the deadline'] : []
}

/** No call is left in doubt by a worker to which nothing happened. */
function brokenDoubt({ events }: Recorded, event: Event, { hadTrouble }: RecordsOptions): readonly string[] {
  if (event.type !== 'turn.failed' || event.data.code !== 'tool_outcome_unknown') return []
  const intent = events.findLast(each => each.type === 'call.dispatched' && each.data.ordinal === event.data.ordinal)
  return intent === undefined || hadTrouble(intent.actor.id) ? [] : ['a call is in doubt, and nothing befell the worker that started it']
}
