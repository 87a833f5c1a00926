// Following a turn: history, then live. News of this process comes at once; what others do is found by polling, which is the
// floor, or told by the store where it can.

import type { Progress } from '../actor/actor.ts'
import type { Event, EventType } from '../events.ts'
import { ToolturnError } from '../errors.ts'
import { parseEvent } from '../fold.ts'
import type { Ports } from '../ports.ts'
import type { TurnStateName } from '../ports/rows.ts'
import { stateName, type TurnState } from '../state.ts'
import type { ProgressEvent, TurnHandle } from './api.ts'
import type { Hub } from './hub.ts'

const POLL_MS = 250
const PAGE = 500
/** Deltas that are kept for a listener who does not keep up; the oldest go first. */
const MOST_DELTAS = 1_000

const ENDS: ReadonlySet<EventType> = new Set(['turn.completed', 'turn.refused', 'turn.exhausted', 'turn.cancelled', 'turn.failed'])
const AT_REST: ReadonlySet<TurnStateName> = new Set(['holding', 'asking', 'completed', 'refused', 'exhausted', 'cancelled', 'failed'])
const ENDED: ReadonlySet<TurnStateName> = new Set(['completed', 'refused', 'exhausted', 'cancelled', 'failed'])

export type Watching = { readonly ports: Ports; readonly hub: Hub }
type FollowOptions = { readonly after?: number; readonly progress?: boolean; readonly signal?: AbortSignal }

/** The `events` of a handle. */
export function eventsOf(watching: Watching, turnId: string): TurnHandle['events'] {
  return ((options: FollowOptions = {}) => followTurn(watching, turnId, options)) as TurnHandle['events']
}

async function* followTurn(watching: Watching, turnId: string, options: FollowOptions): AsyncGenerator<Event | ProgressEvent> {
  const { ports } = watching
  const deltas: Progress[] = []
  const news = newsOf(watching, turnId, options.progress === true ? deltas : null)
  let version = options.after ?? 0
  try {
    while (options.signal?.aborted !== true) {
      const waited = news.next(POLL_MS, options.signal)
      for (const delta of deltas.splice(0)) yield asProgress(delta)
      const page = await ports.store.read(turnId, version, PAGE)
      for (const stored of page) {
        const event = parseEvent(stored)
        version = event.version
        yield event
      }
      if (page.length === PAGE) continue
      if (await isOver(ports, turnId, version, page.at(-1)?.type)) return
      await waited
    }
  } finally {
    news.close()
  }
}

/** A turn is over when its last event is an end; one that comes after, late, changes nothing. */
async function isOver(ports: Ports, turnId: string, version: number, lastType: string | undefined): Promise<boolean> {
  if (lastType !== undefined && !ENDS.has(lastType as EventType) && lastType !== 'call.late') return false
  const row = await ports.store.turn(turnId)
  return row === null || (ENDED.has(row.state) && row.version <= version)
}

function asProgress({ turnId, round, kind, text }: Progress): ProgressEvent {
  return { type: 'progress', version: null, turnId, data: { round, kind, text } }
}

type News = {
  /** Resolves at the next news, after `ms` at the latest. Ask before you read: news that comes while you read is not missed. */
  readonly next: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly close: () => void
}

function newsOf({ ports, hub }: Watching, turnId: string, deltas: Progress[] | null): News {
  let arrived = new AbortController()
  const tell = () => arrived.abort()
  const onProgress = (progress: Progress) => {
    if (deltas === null) return
    deltas.push(progress)
    if (deltas.length > MOST_DELTAS) deltas.shift()
    tell()
  }
  const leave = hub.listen(turnId, tell, onProgress)
  return {
    next: (ms, signal) => {
      arrived = new AbortController()
      return ports.clock.sleep(ms, signal === undefined ? arrived.signal : AbortSignal.any([arrived.signal, signal]))
    },
    close: () => {
      leave()
      arrived.abort()
    },
  }
}

/** The turn ended, or a person is awaited. */
export function isAtRest(state: TurnState): boolean {
  return AT_REST.has(stateName(state))
}

/** Resolves when the row of the turn says that it ended or waits for a person; false when aborted before. */
export async function untilAtRest(watching: Watching, turnId: string, signal?: AbortSignal): Promise<boolean> {
  const news = newsOf(watching, turnId, null)
  try {
    while (signal?.aborted !== true) {
      const waited = news.next(POLL_MS, signal)
      const row = await watching.ports.store.turn(turnId)
      if (row !== null && AT_REST.has(row.state)) return true
      if (row?.parked === true) throw new ToolturnError('turn_parked', '', { turnId })
      await waited
    }
    return false
  } finally {
    news.close()
  }
}
