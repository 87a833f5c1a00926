// Forking a turn: a new one whose stream starts with a prefix of another as served records, opened in one write (D13).

import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { asEvent } from './actor/draft.ts'
import { unseal } from './actor/wholes.ts'
import { besideOf } from './beside.ts'
import { chain, GENESIS } from './chain.ts'
import { stepDerived } from './derived.ts'
import { argumentsDigest } from './digest.ts'
import { ToolturnError } from './errors.ts'
import type { Actor, Event, StoredEvent } from './events.ts'
import { fold } from './fold.ts'
import { withOwnBlobs } from './fork-blobs.ts'
import { copyPrefix } from './fork-copy.ts'
import { forkRefusal, startedAnew } from './fork-point.ts'
import { canonicalJson, type JsonObject } from './json.ts'
import type { Ports } from './ports.ts'
import { project } from './projection.ts'
import { readRecord, type Link } from './record.ts'
import type { Opening } from './runtime/spawn.ts'
import { stateName, type TurnState } from './state.ts'
import { isoTime } from './time.ts'
import { servedAs } from './tool.ts'

/** The turn that is forked: its stream, at least up to where it is forked, and its key, so that argument digests stay comparable. */
export type ForkSource = { readonly events: readonly StoredEvent[]; readonly turnKey: Uint8Array }

/** Who forks, and the worker that drives the fork from the start; without one the next claim takes it. */
export type Forker = { readonly actor: Actor; readonly owner: string | null }

/**
 * Makes a fork that is ready to be opened, and its state.
 *
 * @param at the version of the source up to which it is copied
 * @throws ToolturnError `fork_refused` with the last version before it at which the turn can be forked; `replay_source_missing`,
 *   `history_broken`, `illegal_history` where the prefix is not whole; `option_invalid` for a version that is not there
 */
export async function forkTurn(source: ForkSource, at: number, ports: Ports, { actor, owner }: Forker): Promise<Opening> {
  const { events, state: cut } = readPrefix(source.events, at)
  const turnId = ports.random.turnId()
  const facts = await withOwnBlobs(copyPrefix(events, cut, turnId), cut, turnId, ports)
  const stamp = { turnId, tenant: cut.tenant, time: isoTime(ports.store.time()), actor, worked: 0 }
  const copied = chain({ version: 0, hash: GENESIS }, facts, stamp, () => Buffer.from(ports.random.bytes(16)).toString('hex'))
  const state = fold(copied.map(asEvent))
  const stuck = forkRefusal(state)
  if (stuck !== null) throw new ToolturnError('internal', `A fork cannot go on: ${stuck}.`, { turnId: cut.turnId, version: at })
  const wholes = await wholesOf(cut, state, source.turnKey, ports)
  // Of what goes beside the events only the sealed arguments: an inbox shows holds that are open, and the fork has none yet.
  const { sealed } = besideOf(null, copied.map(asEvent), state, wholes, ports.sealer)
  const { runtime, labels, principal, catalog, fork } = state.opened
  return {
    state,
    turn: {
      turnId,
      tenant: state.tenant,
      runtime,
      key: null,
      contentDigest: createHash('sha256').update(canonicalJson({ fork })).digest('base64url'),
      labels,
      principal,
      offers: [...new Set(catalog.map(servedAs))],
      turnKey: source.turnKey,
      events: copied,
      projection: project(state),
      owner,
      ...(sealed === undefined ? {} : { sealed }),
    },
  }
}

type Prefix = { readonly events: readonly Event[]; readonly state: TurnState }

/** The events up to a version, whole and legal, and the state there, from which a fork can go on. */
function readPrefix(stored: readonly StoredEvent[], at: number): Prefix {
  const turnId = stored[0]?.turnId ?? ''
  const versions = stored.at(-1)?.version ?? 0
  if (!Number.isInteger(at) || at < 1 || at > versions) {
    throw new ToolturnError('option_invalid', `The turn has no version ${at}: it has the versions 1 to ${versions}.`, {
      turnId,
      option: 'at',
      expected: `1 to ${versions}`,
    })
  }
  const events: Event[] = []
  let last: Link = null
  let state: TurnState | null = null
  let forkable = 0
  for (const record of stored) {
    if (record.version > at && last?.version === at) break
    const read = readRecord(last, record)
    if ('missing' in read) throw missing(turnId, read.missing)
    events.push(read.event)
    state = state === null ? fold([read.event]) : stepDerived(state, read.event)
    if (forkRefusal(state) === null) forkable = state.version
    last = record
  }
  if (state === null) throw new ToolturnError('turn_not_found', '', { turnId })
  const why = forkRefusal(state)
  if (why !== null) throw refused(state, why, forkable)
  return { events, state }
}

function missing(turnId: string, version: number): ToolturnError {
  return new ToolturnError('replay_source_missing', `Version ${version} of the turn is not there whole.`, { turnId, version })
}

function refused(state: TurnState, why: string, forkable: number): ToolturnError {
  const { turnId, version } = state
  const message = `The turn cannot be forked at version ${version}: ${why}. The last version before it at which it can is ${forkable}.`
  return new ToolturnError('fork_refused', message, { turnId, version, state: stateName(state), forkable })
}

/**
 * The real arguments of masked calls that start anew, out of the source's boxes. One that does not open, or that a person's edit
 * has replaced meanwhile, is lost: its call is refused when it is next (D11).
 */
async function wholesOf(cut: TurnState, state: TurnState, turnKey: Uint8Array, ports: Ports): Promise<ReadonlyMap<number, JsonObject>> {
  const wholes = new Map<number, JsonObject>()
  for (const call of startedAnew(cut)) {
    const prepared = state.calls.get(call.ordinal)?.prepared
    if (prepared?.masked !== true) continue
    const whole = await unseal({ turnId: cut.turnId, ports }, call)
    const same = whole !== null && argumentsDigest(turnKey, call.item.name, whole) === prepared.argumentsDigest
    if (same) wholes.set(call.ordinal, whole)
  }
  return wholes
}
