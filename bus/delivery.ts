// A message in its handler's hands: given again when the handler throws, and no throw goes further.

import type { Delivery } from '../machines/ports/bus.ts'
import type { Log } from '../machines/ports/world.ts'

export type Handler = (delivery: Delivery) => Promise<void>

/** How a broker takes the answers. None of them throws, and after an `ack` or a `nak` none says anything any more. */
export type Answers = {
  readonly ack: () => void
  readonly nak: (delayMs: number) => void
  readonly working: () => void
}

/** How long a message rests whose handler threw without an answer. */
const THROWN_REST_MS = 1000

/**
 * Calls the handler and never rejects. A handler may return without an answer and give it later; the broker's ack wait runs
 * until then.
 */
export async function hand(
  message: Pick<Delivery, 'subject' | 'headers' | 'body' | 'count'>,
  answers: Answers,
  handler: Handler,
  log: Log,
): Promise<void> {
  try {
    await handler({ ...message, ...answers, nak: (delayMs = 0) => answers.nak(delayMs) })
  } catch (error) {
    log.warn('The handler of a message threw; the message is given again.', { subject: message.subject, error: nameOf(error) })
    answers.nak(THROWN_REST_MS)
  }
}

/** Hears progress. */
export type Hear = (subject: string, body: Uint8Array) => void

/** A broker calls back from inside its own work: nothing may be thrown there. */
export function unthrowing(hear: Hear, log: Log): Hear {
  return (subject, body) => {
    try {
      hear(subject, body)
    } catch (error) {
      log.warn('A listener for progress threw.', { subject, error: nameOf(error) })
    }
  }
}

/** What a log may know of something thrown: its kind, not its words, which may quote what was handled. */
export function nameOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return typeof error
}
