// Appends by a writer that does not own the turn: a person's decision, a cancel, a retry. It passes no epoch, decides from what
// is stored, and on every conflict decides again.

import { Buffer } from 'node:buffer'
import { asEvent, put, startDraft, type Draft } from '../actor/draft.ts'
import { besideOf } from '../beside.ts'
import { ToolturnError } from '../errors.ts'
import type { Actor as EventActor, Event, Fact } from '../events.ts'
import { fold } from '../fold.ts'
import type { JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import { readStream } from '../record.ts'
import { UNOWNED_TYPES } from '../ports/store.ts'
import { project } from '../projection.ts'
import type { TurnState } from '../state.ts'
import { isoTime } from '../time.ts'

/** A turn as it is stored, for somebody who may decide something about it. */
export type Loaded = { readonly state: TurnState; readonly events: readonly Event[] }

/** What a decision makes of the stored turn. Throws a typed error when nothing is to be written. */
export type Decide = (loaded: Loaded, now: number) => Promise<Written> | Written
export type Written = { readonly facts: readonly Fact[]; readonly wholes?: ReadonlyMap<number, JsonObject> }

const TRIES = 50
const BUSY_WAIT_MS = 100

/** @throws ToolturnError `turn_not_found` also where the turn is another tenant's */
export async function loadTurn(ports: Ports, turnId: string, tenant: string | undefined): Promise<Loaded> {
  const events = readStream(null, await ports.store.read(turnId))
  const first = events[0]
  if (first === undefined || (tenant !== undefined && first.tenant !== tenant)) throw new ToolturnError('turn_not_found', '', { turnId })
  return { state: fold(events), events }
}

/**
 * Decides and appends, once. Resolves when it is durable.
 *
 * @returns the events that were appended, and the state after them
 * @throws ToolturnError what `decide` throws; `version_conflict`, `store_busy`
 */
export async function writeUnowned(
  ports: Ports,
  turnId: string,
  tenant: string | undefined,
  actor: EventActor,
  decide: Decide,
): Promise<{ readonly events: readonly Event[]; readonly state: TurnState }> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const loaded = await loadTurn(ports, turnId, tenant)
    const { facts, wholes = new Map() } = await decide(loaded, await ports.store.now())
    if (facts.length === 0) return { events: [], state: loaded.state }
    refuseOwned(facts)
    const draft = draftOf(ports, loaded.state, actor, facts)
    const events = draft.events.map(asEvent)
    const answer = await ports.store.append({
      turnId,
      expected: loaded.state.version,
      head: loaded.state.head,
      epoch: null,
      events: draft.events,
      projection: project(draft.state),
      ...besideOf(loaded.state, events, draft.state, wholes, ports.sealer),
    })
    if (answer.answer === 'accepted') return { events, state: draft.state }
    if (answer.answer === 'failed') throw new ToolturnError('store_unreachable', 'The store refused the append.', { turnId }, answer.error)
    if (answer.answer === 'busy') await ports.clock.sleep(BUSY_WAIT_MS)
  }
  throw new ToolturnError('version_conflict', '', { turnId })
}

/** Who owns nothing works at nothing: the working time is what the owners measured, and a new attempt has none. */
function draftOf(ports: Ports, state: TurnState, actor: EventActor, facts: readonly Fact[]): Draft {
  const { turnId, tenant } = state
  const time = isoTime(ports.store.time())
  const salt = () => Buffer.from(ports.random.bytes(16)).toString('hex')
  return facts.reduce((draft, fact) => {
    const worked = fact.type === 'attempt.started' ? 0 : state.worked
    return put(draft, [fact], { turnId, tenant, time, actor, worked }, salt)
  }, startDraft(state))
}

/** What only an owner may append is never written from here. */
function refuseOwned(facts: readonly Fact[]): void {
  const owned = facts.find(fact => !UNOWNED_TYPES.includes(fact.type))
  if (owned !== undefined) throw new ToolturnError('internal', `A writer that does not own a turn may not append ${owned.type}.`)
}
