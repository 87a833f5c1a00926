// Pauses between tries: of the model, of a tool, of what is kept beside the record.

import { ActorStopped, type Actor } from './actor.ts'

const BACKOFF_MS = 500
const BACKOFF_CAP_MS = 30_000

/** Milliseconds before the next try: doubling, jittered, never less than the other side asked for. */
export function backoff(tries: number, retryAfterMs: number | undefined, fraction: number): number {
  const doubled = Math.min(BACKOFF_MS * 2 ** (tries - 1), BACKOFF_CAP_MS)
  return Math.max(Math.round(doubled * (0.5 + fraction / 2)), retryAfterMs ?? 0)
}

/** Waits, or stops waiting when the turn is cancelled or the worker stops. */
export async function waitFor(actor: Actor, ms: number): Promise<void> {
  await actor.ports.clock.sleep(ms, actor.interrupt.signal)
  if (!actor.control.mayAct()) throw new ActorStopped('lease-lost')
}
