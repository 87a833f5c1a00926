// Whether a stream holds: its chain, its versions without gaps, its history. What does not is a finding, never a throw.

import { checkLink, dataHash, type LinkVerdict } from './chain.ts'
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
  for await (const event of events) check = checkNext(check, event)
  return check
}

/** Checks one more event. @param check null before the first */
export function checkNext(check: StreamCheck | null, stored: StoredEvent): StreamCheck {
  const before = check ?? startOf(stored)
  const link = linkOf(before, stored)
  const judged = judge(check, before.state, stored, link.verdict)
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

function startOf({ turnId }: StoredEvent): StreamCheck {
  return { turnId, version: 0, hash: '', events: 0, erased: 0, unjudged: 0, state: null, findings: [] }
}

type LinkCheck = { readonly verdict: LinkVerdict; readonly problems: readonly string[] }

function linkOf(before: StreamCheck, stored: StoredEvent): LinkCheck {
  const due = before.version + 1
  if (stored.turnId !== before.turnId) return { verdict: 'broken', problems: ['an event of another turn stands here'] }
  if (stored.version < due) return { verdict: 'broken', problems: ['the version stands here again, or out of order'] }
  if (stored.version > due) return behindHole(due, stored)
  const verdict = checkLink(due === 1 ? null : before, stored)
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
function judge(check: StreamCheck | null, state: TurnState | null, stored: StoredEvent, verdict: LinkVerdict): Judgement {
  if (verdict !== 'whole' || (check !== null && state === null)) return { state: null, problem: null }
  try {
    const event = parseEvent(stored)
    return { state: state === null ? fold([event]) : stepDerived(state, event), problem: null }
  } catch (error) {
    if (!(error instanceof ToolturnError)) throw error
    return { state: null, problem: `${error.code}: ${error.message}` }
  }
}

function add({ turnId, findings }: StreamCheck, problems: readonly string[], version: number): readonly VerifyFinding[] {
  const room = Math.max(0, MOST_FINDINGS - findings.length)
  return problems.length === 0 ? findings : [...findings, ...problems.slice(0, room).map(problem => ({ turnId, version, problem }))]
}
