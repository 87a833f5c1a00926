// One worker's life under one lease: enlisted, renewed from before each beat, over when the beat fails for too long.

import type { Ports } from '../ports.ts'
import type { Serves } from '../ports/store.ts'

/** A lease that was held once. A worker that lost it comes back under a new id. */
export type Session = {
  readonly worker: string
  /** Aborted when the lease is lost, or when the runtime gives up waiting at its close. */
  readonly over: AbortController
  /** Monotonic time up to which this process may act, counted from before the last beat was sent. */
  leaseUntil: number
}

const LEASE_MS = 15_000
/** Three beats fit into a lease. */
export const BEAT_MS = 5_000

/** Registers a new worker. Resolves when the store knows it. */
export async function enlist(ports: Ports, serves: Serves): Promise<Session> {
  const worker = ports.random.workerId()
  const before = ports.clock.monotonic()
  await ports.store.enlist(worker, LEASE_MS, serves)
  return { worker, over: new AbortController(), leaseUntil: before + LEASE_MS }
}

/** False once the lease is over by this process's own clock, whatever the store would say (D2). */
export function mayAct(session: Session, ports: Ports): boolean {
  return !session.over.signal.aborted && ports.clock.monotonic() < session.leaseUntil
}

/**
 * One beat.
 *
 * @returns the held turns that moved, or null when the lease is lost
 */
export async function beat(
  session: Session,
  ports: Ports,
  held: readonly { readonly turnId: string; readonly version: number; readonly epoch: number }[],
): Promise<readonly string[] | null> {
  const before = ports.clock.monotonic()
  const answer = await ports.store.heartbeat(session.worker, LEASE_MS, held)
  if (!answer.alive) return null
  session.leaseUntil = before + LEASE_MS
  return answer.moved
}
