// Replay: an attempt driven again on its records alone. Every request is rebuilt and compared with the recorded one; nothing is
// sent or executed, and nothing that could send or execute is reachable from here (D8, F2).

import { createHash } from 'node:crypto'
import { stepDerived } from './derived.ts'
import { requestDigest } from './digest.ts'
import { ToolturnError } from './errors.ts'
import type { Event, StoredEvent } from './events.ts'
import { fold } from './fold.ts'
import { canonicalJson } from './json.ts'
import { pairingProblems } from './pairing.ts'
import { readRecord, type Link } from './record.ts'
import type { Divergence, ReplayResult } from './runtime/api.ts'
import { isMiss, nextCall, stateName, type CallState, type TurnState } from './state.ts'
import { modelRequest, transcript } from './transcript.ts'

export type ReplayOptions = {
  /** An earlier attempt, to its end, on its own records (D7). Default: the last one. */
  readonly attempt?: number
  /** Only folds, up to this version: no request is compared. Not together with `attempt`. */
  readonly at?: number
  /** The version that the row of the turn showed before the stream was read: a stream that ends below it lacks its end. */
  readonly rowVersion?: number
  /** Versions of records whose whole result is not in the blob store any more: no records, as short forms are none (D9). */
  readonly withoutBlob?: ReadonlySet<number>
  /** Called for each record that is served, in order, so that it can be told on `replays.…`. */
  readonly onServed?: (event: StoredEvent) => void
}

/** Why a replay cannot go on from where it is. */
type Failure =
  | { readonly code: 'replay_source_missing'; readonly missing: NonNullable<ReplayResult['missing']> }
  | { readonly code: 'replay_diverged'; readonly divergence: Divergence }

/** How far a replay came. */
type Playback = {
  readonly state: TurnState | null
  readonly last: Link
  readonly failure: Failure | null
  /** Version of the record of each call, by ordinal. */
  readonly records: ReadonlyMap<number, number>
}

const NOTHING_YET: Playback = { state: null, last: null, failure: null, records: new Map() }

/**
 * Replays a turn from its stream, or one attempt of it.
 *
 * A missing record and a divergence are results, of state `failed`; the replay stops at the first. Damage is thrown.
 *
 * @param events the whole stream, in order, from version 1
 * @throws ToolturnError `history_broken`, `illegal_history`, `schema_newer`; `option_invalid` for an attempt or a version that the
 *   stream does not have
 */
export function replay(events: readonly StoredEvent[], options: ReplayOptions = {}): ReplayResult {
  const attempt = attemptOf(events, options)
  const { at, withoutBlob = new Set(), onServed = () => undefined } = options
  const scope: Scope = { attempt, at, withoutBlob, onServed }
  let playback = NOTHING_YET
  for (const stored of events) {
    if (playback.failure !== null || isBeyond(playback, stored, scope)) break
    playback = playOn(playback, stored, scope)
  }
  return resultOf(events, withTail(playback, events, options), options.at === undefined ? attempt : null)
}

type Scope = {
  readonly attempt: number
  readonly at: number | undefined
  readonly withoutBlob: ReadonlySet<number>
  readonly onServed: (event: StoredEvent) => void
}

/** The attempt that is replayed. Types are not part of payloads, so attempts can be counted where payloads were erased. */
function attemptOf(events: readonly StoredEvent[], { attempt, at, rowVersion = 0 }: ReplayOptions): number {
  const [first] = events
  if (first === undefined) throw new ToolturnError('illegal_history', 'A stream without events cannot be replayed.')
  const attempts = 1 + events.filter(event => event.type === 'attempt.started').length
  const versions = Math.max(events.at(-1)?.version ?? 0, rowVersion)
  const { turnId } = first
  if (at !== undefined && attempt !== undefined) throw invalid('at', 'either an attempt or a version', turnId)
  if (at !== undefined && !isFromOne(at, versions)) throw invalid('at', `a version from 1 to ${versions}`, turnId)
  if (attempt !== undefined && !isFromOne(attempt, attempts)) throw invalid('attempt', `an attempt from 1 to ${attempts}`, turnId)
  return attempt ?? attempts
}

function isFromOne(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

function invalid(option: string, expected: string, turnId: string): ToolturnError {
  return new ToolturnError('option_invalid', `\`${option}\` is not valid: expected ${expected}.`, { turnId, option, expected })
}

/** True where the replay was to end before this record. */
function isBeyond({ state, last }: Playback, stored: StoredEvent, { attempt, at }: Scope): boolean {
  if (at !== undefined) return last?.version === at
  return stored.type === 'attempt.started' && state?.attempt === attempt
}

function playOn(playback: Playback, stored: StoredEvent, scope: Scope): Playback {
  const read = readRecord(playback.last, stored)
  if ('missing' in read) return { ...playback, failure: missing(playback.state, read.missing) }
  const { event } = read
  const serves = (state: TurnState | null) => scope.at === undefined && state?.attempt === scope.attempt
  const failure = serves(playback.state) ? recheck(playback, event, scope) : null
  if (failure !== null) return { ...playback, failure }
  const state = playback.state === null ? fold([event]) : stepDerived(playback.state, event)
  if (serves(state)) scope.onServed(stored)
  return { state, last: stored, failure: null, records: noteRecord(playback.records, event) }
}

function noteRecord(records: Playback['records'], event: Event): Playback['records'] {
  if (event.type !== 'call.recorded' && event.type !== 'call.settled') return records
  return new Map(records).set(event.data.ordinal, event.version)
}

/** What belongs at a hole is most likely about the call that the turn had to see to next. */
function missing(state: TurnState | null, version: number): Failure {
  const ordinal = state === null ? null : (nextCall(state)?.ordinal ?? null)
  return { code: 'replay_source_missing', missing: { version, ordinal } }
}

/** Everything about the next event that can be judged again without asking anybody. */
function recheck({ state, records }: Playback, event: Event, { withoutBlob }: Scope): Failure | null {
  if (state === null) return null
  if (needsRecords(event)) {
    const isShort = (call: CallState) => isMiss(call) || withoutBlob.has(records.get(call.ordinal) ?? 0)
    const short = [...state.calls.values()].find(isShort)
    if (short !== undefined) {
      const { ordinal } = short
      return { code: 'replay_source_missing', missing: { version: records.get(ordinal) ?? event.version, ordinal } }
    }
  }
  if (event.type !== 'round.recorded' && event.type !== 'round.requested') return null
  const request = modelRequest(state)
  const [unpaired] = pairingProblems(request.messages)
  if (unpaired !== undefined) {
    const { turnId, version, type } = event
    throw new ToolturnError('illegal_history', `The transcript before version ${version} is not paired: ${unpaired.problem}.`, {
      turnId,
      version,
      event: type,
    })
  }
  const { round, request: recorded } = event.data
  const current = requestDigest(request)
  return current === recorded ? null : { code: 'replay_diverged', divergence: { version: event.version, round, recorded, current } }
}

/**
 * True for what an attempt only comes to by serving its records: the next ask, and the ends that conclude or exhaust it. There a
 * short form is no record (D9). A failed or cancelled attempt ends without them.
 */
function needsRecords({ type }: Event): boolean {
  return type.startsWith('round.') || type === 'turn.completed' || type === 'turn.refused' || type === 'turn.exhausted'
}

/** A stream that ends below the version of its row lacks what stood there. */
function withTail(playback: Playback, events: readonly StoredEvent[], { at, rowVersion = 0 }: ReplayOptions): Playback {
  const { state, last, failure } = playback
  const reached = last?.version ?? 0
  const stopsBefore = at === reached || events.at(-1)?.version !== reached
  if (failure !== null || stopsBefore || reached >= rowVersion) return playback
  return { ...playback, failure: missing(state, reached + 1) }
}

function resultOf(events: readonly StoredEvent[], { state, failure }: Playback, attempt: number | null): ReplayResult {
  return {
    turnId: events[0]?.turnId ?? '',
    attempt: attempt ?? state?.attempt ?? 1,
    state: failure !== null || state === null ? 'failed' : stateName(state),
    code: failure?.code ?? state?.end?.code ?? null,
    executions: 0,
    modelCalls: 0,
    divergence: failure?.code === 'replay_diverged' ? failure.divergence : null,
    missing: failure?.code === 'replay_source_missing' ? failure.missing : null,
    same: failure === null,
    messages: createHash('sha256')
      .update(canonicalJson(state === null ? [] : transcript(state)))
      .digest('hex'),
  }
}
