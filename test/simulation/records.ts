// What is committed, read back from the database at the moment of its commit, and held against everything that must hold of it.

import { checkLink } from '../../machines/chain.ts'
import { stepDerived } from '../../machines/derived.ts'
import { requestDigest } from '../../machines/digest.ts'
import { pending } from '../../machines/effects.ts'
import type { Event, StoredEvent } from '../../machines/events.ts'
import { fold, parseEvent } from '../../machines/fold.ts'
import { hostCallId } from '../../machines/ids.ts'
import { canonicalJson } from '../../machines/json.ts'
import type { ModelRequest } from '../../machines/ports/model.ts'
import type { Append, OpenTurn } from '../../machines/ports/store.ts'
import { hasEnded, isOpen, stateName, type TurnState } from '../../machines/state.ts'
import { modelRequest } from '../../machines/transcript.ts'
import type { MemoryDatabase, MemoryTurn } from '../../store/memory-database.ts'
import { brokenBy, brokenIn } from '../graph/invariants.ts'
import type { Answers } from './answers.ts'
import type { Told } from './history.ts'
import { brokenBeside, brokenRow } from './rows.ts'
import { takeEvent } from './rules.ts'
import { brokenWrite } from './writes.ts'

/** A stream as far as it is committed. */
export type Recorded = {
  readonly turnId: string
  readonly events: Event[]
  /** Of each version: the epoch under which it was written (null: a writer that owns nothing); when; and whether nobody had to drive on. */
  readonly written: { readonly epoch: number | null; readonly at: number; readonly rests: boolean }[]
  /** Digest of the request that each round is to be asked with, by attempt and round. */
  readonly requests: Map<string, string>
  /** Host ids of calls whose results are kept whole beside the stream: what the model is asked with is more than the record has. */
  readonly kept: Set<string>
  last: StoredEvent
  state: TurnState
  told: Told
}

export type Records = {
  /** To be called right after a write was tried, before anybody else can write. One that changed nothing is passed over. */
  readonly committed: (write: Append | OpenTurn) => void
  readonly of: (turnId: string) => Recorded | undefined
  readonly all: () => readonly Recorded[]
}

export type RecordsOptions = {
  readonly database: MemoryDatabase
  readonly now: () => number
  /** Told of every rule that is broken. */
  readonly broken: (rule: string) => void
  /** A text that stands in secrets only. */
  readonly secret: string
  /** What the model said. */
  readonly answers: Answers
  /** Told of every turn that was written to. */
  readonly written: (turnId: string) => void
  /** The clock of the store, where whatever is decided is written in the same moment; null where it may be written later. */
  readonly promptNow: (() => number) | null
  /** A worker had a reason to leave a call in doubt: something befell it. */
  readonly hadTrouble: (worker: string) => boolean
}

export function recordsOf(options: RecordsOptions): Records {
  const records = new Map<string, Recorded>()
  return {
    committed: write => {
      const row = options.database.turns.get(write.turnId)
      const known = records.get(write.turnId)
      const { hash } = write.events.at(-1) ?? {}
      if (row === undefined || row.head !== hash || known?.last.hash === hash) return
      const record = readOn(options, known, row, 'epoch' in write ? write.epoch : 1)
      if (record === null) return
      options.written(write.turnId)
      records.set(write.turnId, record)
      // The transcript of a turn that follows another one holds that one's calls as well; it is looked at when it is sent.
      const lawful = record.state.opened.history.length > 0 ? [] : brokenIn(record.state)
      for (const rule of [
        ...lawful,
        ...brokenRow(record, row, write),
        ...brokenBeside(record, row, options.database),
        ...brokenWrite(record, write, options),
      ]) {
        options.broken(`${write.turnId} at ${record.state.version}: ${rule}`)
      }
    },
    of: turnId => records.get(turnId),
    all: () => [...records.values()],
  }
}

/** Folds what is new, event by event, so that every prefix is folded. */
function readOn(options: RecordsOptions, known: Recorded | undefined, row: MemoryTurn, epoch: number | null): Recorded | null {
  let record = known ?? null
  for (const stored of row.events.slice(known?.events.length ?? 0)) {
    if (stored === null) return fail(options, row.turnId, 'an event is missing')
    if (checkLink(record?.last ?? null, stored) !== 'whole') return fail(options, row.turnId, 'the hash chain does not hold')
    try {
      record = step(options, record, stored, epoch)
    } catch (thrown) {
      return fail(options, row.turnId, `the stored history does not fold: ${String(thrown)}`)
    }
  }
  return record
}

function fail(options: RecordsOptions, turnId: string, rule: string): null {
  options.broken(`${turnId}: ${rule}`)
  return null
}

function step(options: RecordsOptions, record: Recorded | null, stored: StoredEvent, epoch: number | null): Recorded {
  const event = parseEvent(stored)
  const state = record === null ? fold([event]) : stepDerived(record.state, event)
  const { told, broken } = takeEvent(record?.told ?? null, event)
  const made = state.opened.fork === null ? options.answers.broken(event, state.attempt) : []
  const leaks = canonicalJson(event.data).includes(options.secret) ? ['D11: a secret is recorded'] : []
  for (const rule of [
    ...broken,
    ...made,
    ...leaks,
    ...(record === null ? [] : [...brokenBy(record.state, state), ...unlike(told, state)]),
  ]) {
    options.broken(`${event.turnId} at ${event.version} ${event.type}: ${rule}`)
  }
  const next: Recorded =
    record === null
      ? { turnId: event.turnId, events: [], written: [], requests: new Map(), kept: new Set(), last: stored, state, told }
      : Object.assign(record, { last: stored, state })
  next.events.push(event)
  const rests = stateName(state) === 'holding' || stateName(state) === 'asking' || hasEnded(state)
  next.written.push({ epoch, at: options.now(), rests })
  if (
    (event.type === 'call.recorded' && event.data.blob !== undefined) ||
    (event.type === 'call.settled' && event.data.recorded?.blob !== undefined)
  ) {
    next.kept.add(hostCallId(event.data.ordinal))
  }
  if (pending(state).kind === 'ask-model') {
    next.requests.set(roundName(state.attempt, state.rounds.length + 1), digestWithout(next.kept, modelRequest(state)))
  }
  return next
}

/** Digest of a request, but for the results that are kept whole elsewhere. */
export function digestWithout(kept: ReadonlySet<string>, request: ModelRequest): string {
  const messages = request.messages.map(message =>
    message.role === 'tool'
      ? { ...message, results: message.results.map(each => (kept.has(each.id) ? { ...each, result: NOTHING } : each)) }
      : message,
  )
  return requestDigest({ ...request, messages })
}

const NOTHING = { content: [] }

export function roundName(attempt: number, round: number): string {
  return `${attempt}.${round}`
}

/** The two readings of a stream agree where both have an opinion. */
function unlike(told: Told, state: TurnState): readonly string[] {
  return [
    told.trust !== state.contentTrust && 'C1: content trust is not the minimum over what was read',
    told.ordinals + 1 !== state.nextOrdinal && 'D1: the next ordinal is another one',
    told.attempt !== state.attempt && 'D7: the attempt is another one',
    told.calls.size !== state.calls.size && 'D7: calls of another attempt are held',
    told.rounds !== state.rounds.length && 'D7: rounds of another attempt are held',
    [...told.calls.values()].some(call => (call.outcome === null) !== isOpenIn(state, call.ordinal)) &&
      'a call is open in one reading only',
  ].filter(broken => broken !== false)
}

function isOpenIn(state: TurnState, ordinal: number): boolean {
  const call = state.calls.get(ordinal)
  return call !== undefined && isOpen(call)
}
