// Stories kept in a store, as an appender would have written them.

import { randomBytes } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { asEvent } from '../../machines/actor/draft.ts'
import { chain, GENESIS } from '../../machines/chain.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { fold } from '../../machines/fold.ts'
import type { Projection } from '../../machines/ports/rows.ts'
import type { OpenTurn, Store } from '../../machines/ports/store.ts'
import { project } from '../../machines/projection.ts'
import type { TurnState } from '../../machines/state.ts'
import { ANA, opened, told, TURN_KEY, type Telling } from './given.ts'

export type Kept = { readonly turnId: string; readonly events: readonly StoredEvent[]; readonly state: TurnState }

export type Keeping = {
  readonly tenant?: string
  /** What the row shows otherwise than the stream. */
  readonly projection?: Partial<Projection>
  readonly opening?: Parameters<typeof opened>[0]
}

/** Opens a turn and appends each telling by itself. */
export async function keep(store: Store, tellings: readonly Telling[], keeping: Keeping = {}): Promise<Kept> {
  const turnId = uuid()
  const tenant = keeping.tenant ?? 'default'
  let { events, state } = begin(turnId, tenant, keeping)
  await store.open(openTurnOf(turnId, tenant, events, state))
  for (const telling of tellings) {
    const next = told({ events, state }, telling)
    const answer = await store.append({
      turnId,
      expected: state.version,
      head: state.head,
      epoch: null,
      events: next.events.slice(events.length),
      projection: { ...project(next.state), ...keeping.projection },
    })
    if (answer.answer !== 'accepted') throw new Error(`the store answered ${answer.answer}`)
    ;({ events, state } = next)
  }
  return { turnId, events, state }
}

function begin(turnId: string, tenant: string, { opening = {} }: Keeping) {
  const fact = opened({ key: null, ...opening })
  const stamp = { turnId, tenant, time: '2026-01-01T00:00:00.000Z', actor: { kind: 'worker' as const, id: 'w-1' }, worked: 0 }
  const events: readonly StoredEvent[] = chain({ version: 0, hash: GENESIS }, [fact], stamp, () => randomBytes(16).toString('hex'))
  return { events, state: fold(events.map(asEvent)) }
}

function openTurnOf(turnId: string, tenant: string, events: readonly StoredEvent[], state: TurnState): OpenTurn {
  return {
    turnId,
    tenant,
    events,
    runtime: 'default',
    key: null,
    contentDigest: 'content',
    labels: {},
    principal: ANA,
    offers: state.opened.catalog.map(tool => tool.name),
    turnKey: TURN_KEY,
    projection: project(state),
    owner: null,
  }
}
