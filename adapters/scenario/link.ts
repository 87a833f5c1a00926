// Asking and answering over the channel between two processes. Either side may ask; what is asked and answered is JSON.

import { ToolturnError, type ErrorCode } from '../../machines/errors.ts'

type Frame =
  | { readonly kind: 'ask'; readonly id: number; readonly what: string; readonly given: readonly unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: ErrorCode; readonly message: string }

/** What one side answers to, by name. */
export type Served = { readonly [what: string]: (...given: never[]) => unknown }

export type Link = {
  readonly ask: (what: string, ...given: readonly unknown[]) => Promise<unknown>
  /** Handles a frame that came in. */
  readonly receive: (frame: unknown) => void
  /** The other side is gone: whoever still waits is told so, and nothing that comes is heard any more. */
  readonly cut: () => void
}

/** Thrown to those who asked when the other side is gone. */
export class GoneError extends Error {}

/** Longer than anything that is asked takes, on a machine that has much else to do. */
const ANSWER_MS = 120_000

/** @param served looked up at every ask: the same process serves one after another */
export function link(send: (frame: Frame) => void, served: () => Served): Link {
  const waiting = new Map<number, { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void }>()
  let asked = 0
  let gone = false

  const serve = async ({ id, what, given }: Extract<Frame, { kind: 'ask' }>) => {
    try {
      const answer = await served()[what]?.(...(given as never[]))
      if (!gone) send({ kind: 'answer', id, answer: answer ?? null })
    } catch (error) {
      if (!gone) send({ kind: 'error', id, ...inWords(error) })
    }
  }
  return {
    ask: (what, ...given) => {
      if (gone) return Promise.reject(new GoneError('the process is gone'))
      const id = (asked += 1)
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
      const tooLate = () => waiting.get(id)?.reject(new ToolturnError('internal', `The other process did not answer: ${what}.`))
      const late = setTimeout(tooLate, ANSWER_MS)
      send({ kind: 'ask', id, what, given })
      return answer.finally(() => {
        clearTimeout(late)
        waiting.delete(id)
      })
    },
    receive: received => {
      if (gone) return
      const frame = received as Frame
      switch (frame.kind) {
        case 'ask':
          return void serve(frame)
        case 'answer':
          return waiting.get(frame.id)?.resolve(frame.answer)
        case 'error':
          return waiting.get(frame.id)?.reject(new ToolturnError(frame.code, frame.message))
      }
    },
    cut: () => {
      gone = true
      for (const { reject } of waiting.values()) reject(new GoneError('the process is gone'))
    },
  }
}

function inWords(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (error instanceof ToolturnError) return { code: error.code, message: error.message }
  return { code: 'internal', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
