// Streams for tests of stores and buses: rightly chained events that look like those of a turn. The law is not asked.

import { randomBytes } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { chain, envelopeHash, GENESIS, type Stamp } from '../../machines/chain.ts'
import type { Fact, StoredEvent } from '../../machines/events.ts'
import { approvalId } from '../../machines/ids.ts'
import type { Json } from '../../machines/json.ts'
import { DEFAULT_LIMITS } from '../../machines/limits.ts'
import type { ApprovalRow, Projection } from '../../machines/ports/rows.ts'
import type { Append, OpenTurn } from '../../machines/ports/store.ts'
import type { Principal } from '../../machines/principal.ts'

export const ANA: Principal = { issuer: 'https://id.example.com', id: 'ana', kind: 'person', scopes: [] }

/** The end of a stream: what the next append is chained to. */
export type Place = { readonly turnId: string; readonly tenant: string; readonly version: number; readonly hash: string }

/** What an append may say of itself; everything else follows from the place it is put at. */
export type Saying = Partial<Omit<Append, 'projection'>> & { readonly projection?: Partial<Projection>; readonly facts?: readonly Fact[] }

const WORKING: Projection = { state: 'thinking', code: null, attempt: 1, tools: [], outcomes: [], wakeAt: 'now' }

/** A new turn with a `turn.opened`, unlike any other one. */
export function newTurn(given: Partial<Omit<OpenTurn, 'projection'>> & { readonly projection?: Partial<Projection> } = {}): OpenTurn {
  const turn = {
    turnId: uuid(),
    tenant: 'default',
    runtime: 'default',
    key: null,
    contentDigest: 'content',
    labels: {},
    principal: ANA,
    offers: [],
    turnKey: randomBytes(32),
    owner: null,
    ...given,
    projection: { ...WORKING, ...given.projection },
  }
  const start = { turnId: turn.turnId, tenant: turn.tenant, version: 0, hash: GENESIS }
  return { ...turn, events: given.events ?? eventsAt(start, [opening(turn)]) }
}

/** An append behind a place: one small fact, unless others are given. */
export function appendAt(place: Place, saying: Saying = {}): Append {
  const { facts, projection, ...given } = saying
  return {
    turnId: place.turnId,
    expected: place.version,
    head: place.hash,
    epoch: null,
    events: eventsAt(place, facts ?? [roundFailed(1)]),
    ...given,
    projection: { ...WORKING, ...projection },
  }
}

/** Where a stream ends once this was accepted. */
export function placeBehind({ events }: { readonly events: readonly StoredEvent[] }): Place {
  const last = events.at(-1)
  if (last === undefined) throw new Error('there is no event to stand behind')
  return { turnId: last.turnId, tenant: last.tenant, version: last.version, hash: last.hash }
}

export function eventsAt(place: Place, facts: readonly Fact[]): StoredEvent[] {
  const { turnId, tenant } = place
  const stamp: Stamp = { turnId, tenant, time: '2026-01-01T00:00:00.000Z', actor: { kind: 'worker', id: 'w-1' }, worked: 0 }
  return chain(place, facts, stamp, () => randomBytes(16).toString('hex'))
}

/** The same event as a later release would have written it. */
export function ofSchema(schemaVersion: number, event: StoredEvent): StoredEvent {
  const newer = { ...event, schemaVersion }
  return { ...newer, hash: envelopeHash(newer) }
}

function opening({ runtime, labels, key, principal }: Pick<OpenTurn, 'runtime' | 'labels' | 'key' | 'principal'>): Fact {
  return {
    type: 'turn.opened',
    data: {
      runtime,
      labels,
      key,
      principal,
      input: [{ role: 'user', text: 'Order 42 arrived broken.', contentTrust: 'trusted' }],
      contentTrust: 'trusted',
      catalog: [],
      catalogDigest: 'empty',
      ask: null,
      limits: DEFAULT_LIMITS,
      output: null,
      providerTools: [],
      approvers: [],
      follows: null,
      history: [],
      fork: null,
    },
  }
}

/** The smallest fact there is. */
export function roundFailed(nth: number): Fact {
  return { type: 'round.failed', data: { round: 1, try: nth, kind: 'timeout', backoffMs: 0 } }
}

/** A result that carries any JSON value. */
export function callRecorded(value: Json, ordinal = 1): Fact {
  const result = { content: [{ type: 'text', text: 'see structuredContent' }], structuredContent: value }
  return {
    type: 'call.recorded',
    data: {
      ordinal,
      tool: 'find_order',
      dispatch: 1,
      tries: 1,
      ended: 'returned',
      result,
      digest: 'digest',
      bytes: 1,
      truncated: false,
      contentTrust: 'untrusted',
    },
  }
}

export function approvalGranted(turnId: string, ordinal = 1): Fact {
  const hold = { approvalId: approvalId(turnId, ordinal, 1), ordinal }
  return { type: 'approval.granted', data: { ...hold, by: ANA, via: 'app', contentTrust: 'trusted', edited: null } }
}

export function turnCompleted(): Fact {
  return { type: 'turn.completed', data: { output: { channel: null, text: 'Done.' } } }
}

/** A row of the inbox. */
export function holdRow(place: Pick<Place, 'turnId' | 'tenant'>, given: Partial<ApprovalRow> = {}): ApprovalRow {
  const ordinal = given.ordinal ?? 1
  return {
    approvalId: approvalId(place.turnId, ordinal, 1),
    turnId: place.turnId,
    tenant: place.tenant,
    ordinal,
    kind: 'approval',
    tool: 'refund',
    arguments: { order: 42 },
    contentTrust: 'untrusted',
    acting: { issuer: ANA.issuer, id: ANA.id },
    approvers: null,
    reason: 'the turn has read untrusted content',
    openedAt: Date.UTC(2026, 0, 1),
    expiresAt: Date.UTC(2026, 0, 2),
    settled: null,
    ...given,
  }
}
