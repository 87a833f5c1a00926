// Forks of given streams, with ports that reach nothing.

import { asEvent } from '../../machines/actor/draft.ts'
import type { StoredEvent } from '../../machines/events.ts'
import { fold } from '../../machines/fold.ts'
import { forkTurn } from '../../machines/fork.ts'
import type { Ports } from '../../machines/ports.ts'
import type { Store } from '../../machines/ports/store.ts'
import type { Sealer } from '../../machines/ports/world.ts'
import type { Opening } from '../../machines/runtime/spawn.ts'
import type { TurnState } from '../../machines/state.ts'
import { systemClock, systemRandom } from '../../adapters/clock.ts'
import { silentLog } from '../../adapters/log.ts'
import { createRedactor } from '../../adapters/redact.ts'
import { noOutbox, openNone } from '../../bus/none.ts'
import { openMemory } from '../../store/memory.ts'
import { TURN_KEY } from './given.ts'

export function portsOver(store: Store, sealer: Sealer | null = null): Ports {
  return {
    store,
    sealer,
    outbox: noOutbox,
    bus: openNone(),
    model: null,
    tools: new Map(),
    policy: () => 'allow',
    redactor: createRedactor(),
    blobs: null,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  }
}

/** A fork by a person, driven from the start by a worker. */
export function forkOf(events: readonly StoredEvent[], at: number, ports: Ports = portsOver(openMemory())): Promise<Opening> {
  return forkTurn({ events, turnKey: TURN_KEY }, at, ports, { actor: { kind: 'person', issuer: 'os', id: 'ana' }, owner: 'w-9' })
}

export function stateAt(events: readonly StoredEvent[], version: number): TurnState {
  return fold(events.slice(0, version).map(asEvent))
}
