// Whether a stream holds: its chain, its versions without gaps, its history. What does not is a finding, never a throw.

import { checkLink, dataHash, GENESIS, type LinkVerdict } from './chain.ts'
import { stepDerived } from './derived.ts'
import { ToolturnError } from './errors.ts'
import type { StoredEvent } from './events.ts'
import { fold, parseEvent } from './fold.ts'
import type { VerifyFinding } from './runtime/api.ts'
import type { TurnState } from './state.ts'

/** A stream as far as it was checked. */
export type StreamCheck = {
  readonly turnId: string
  /** Of the last event that was seen. */
  readonly version: number
  readonly hash: string
  readonly events: number
  /** Payloads that were erased; the chain holds over them. */
  readonly erased: number
  /** Events from the first on that is erased, damaged or may not stand there: whether they are legal is not said. */
  readonly unjudged: number
  /** By the events so far; null once one of them could not be judged. */
  readonly state: TurnState | null
  readonly findings: readonly VerifyFinding[]
}

/** More damage than this in one stream is not told one by one. */
const MOST_FINDINGS = 100

/** Checks a stream from its first event to its last, one event in memory at a time. Null for a stream without events. */
export async function verifyStream(events: Iterable<StoredEvent> | AsyncIterable<StoredEvent>): Promise<StreamCheck | null> {
  let check: StreamCheck | null = null
  for await (const event of events) check = checkNext(check ?? startCheck(event.turnId), event)
  return check
}

/** Nothing of the turn was seen yet. */
export function startCheck(turnId: string): StreamCheck {
  return { turnId, version: 0, hash: GENESIS, events: 0, erased: 0, unjudged: 0, state: null, findings: [] }
}

/** Checks one more event. */
export function checkNext(before: StreamCheck, stored: StoredEvent): StreamCheck {
  const link = linkOf(before, stored)
  const judged = judge(before, stored, link.verdict)
  const problems = [...link.problems, ...(judged.problem === null ? [] : [judged.problem])]
  return {
    turnId: before.turnId,
    version: Math.max(before.version, stored.version),
    hash: stored.hash,
    events: before.events + 1,
    erased: before.erased + (link.verdict === 'erased' ? 1 : 0),
    unjudged: before.unjudged + (judged.state === null ? 1 : 0),
    state: judged.state,
    findings: add(before, problems, stored.version),
  }
}

type LinkCheck = { readonly verdict: LinkVerdict; readonly problems: readonly string[] }

function linkOf(before: StreamCheck, stored: StoredEvent): LinkCheck {
  const due = before.version + 1
  if (stored.turnId !== before.turnId) return { verdict: 'broken', problems: ['an event of another turn stands here'] }
  if (stored.version < due) return { verdict: 'broken', problems: ['the version stands here again, or out of order'] }
  if (stored.version > due) return behindHole(due, stored)
  const verdict = checkLink(before, stored)
  if (verdict !== 'broken') return { verdict, problems: [] }
  return { verdict, problems: ['the hash chain does not hold: the event was changed, or is none of this stream'] }
}

/** What stood before is not known, so only the payload can still be held against its own digest. */
function behindHole(due: number, stored: StoredEvent): LinkCheck {
  const hole = stored.version - due === 1 ? `version ${due} is missing` : `versions ${due} to ${stored.version - 1} are missing`
  if (stored.salt === null) return { verdict: 'erased', problems: [hole] }
  const good = dataHash(stored.salt, stored.data) === stored.dataHash
  return { verdict: 'broken', problems: good ? [hole] : [hole, 'the payload does not fit its digest'] }
}

type Judgement = { readonly state: TurnState | null; readonly problem: string | null }

/** Whether the event may stand there. Judged only while every event before it is whole. */
function judge({ events, state }: StreamCheck, stored: StoredEvent, verdict: LinkVerdict): Judgement {
  if (verdict !== 'whole' || (events > 0 && state === null)) return { state: null, problem: null }
  try {
    const event = parseEvent(stored)
    return { state: state === null ? fold([event]) : stepDerived(state, event), problem: null }
  } catch (error) {
    if (!(error instanceof ToolturnError)) throw error
    return { state: null, problem: `${error.code}: ${error.message}` }
  }
}

/** What somebody who saw the turn says of it: its row, or an export. */
export type Claim = { readonly turnId: string; readonly version: number; readonly head: string }

/** The claim against the stream, once the stream has come to its version. */
export function compareHead({ turnId, version, head }: Claim, check: StreamCheck): readonly VerifyFinding[] {
  return head === check.hash ? [] : [{ turnId, version, problem: 'the stream has another head here than is said of the turn' }]
}

/** The claim against a stream that ended before it came to its version. */
export function compareEnd({ turnId, version }: Claim, check: StreamCheck): readonly VerifyFinding[] {
  if (check.version >= version) return []
  return [{ turnId, version: check.version + 1, problem: `the stream ends at version ${check.version} and is said to end at ${version}` }]
}

function add({ turnId, findings }: StreamCheck, problems: readonly string[], version: number): readonly VerifyFinding[] {
  const room = Math.max(0, MOST_FINDINGS - findings.length)
  return problems.length === 0 ? findings : [...findings, ...problems.slice(0, room).map(problem => ({ turnId, version, problem }))]
}
