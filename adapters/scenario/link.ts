// Asking and answering over the channel between two processes. Either side may ask; what is asked and answered is JSON.

import { ToolturnError } from '../../machines/errors.ts'
import type { ErrorCode } from '../../machines/errors.ts'

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

/** @param served looked up at every ask: the same process serves one after another */
export function link(send: (frame: Frame) => void, served: () => Served): Link {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  let gone = false

  const serve = async ({ id, what, given }: Extract<Frame, { kind: 'ask' }>) => {
    try {
      const answer = await served()[what]?.(...(given as never[]))
      if (!gone) send({ kind: 'answer', id, answer: answer ?? null })
    } catch (error) {
      const code = error instanceof ToolturnError ? error.code : 'internal'
      if (!gone) send({ kind: 'error', id, code, message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  return {
    ask: (what, ...given) => {
      if (gone) return Promise.reject(new GoneError('the process is gone'))
      const answer = Promise.withResolvers<unknown>()
      const id = (asked += 1)
      waiting.set(id, answer)
      send({ kind: 'ask', id, what, given })
      return answer.promise
    },
    receive: frame => {
      if (gone) return
      const { kind, id } = frame as Frame
      const asker = waiting.get(id)
      switch (kind) {
        case 'ask':
          return void serve(frame as Extract<Frame, { kind: 'ask' }>)
        case 'answer':
          asker?.resolve((frame as Extract<Frame, { kind: 'answer' }>).answer)
          break
        case 'error': {
          const { code, message } = frame as Extract<Frame, { kind: 'error' }>
          asker?.reject(new ToolturnError(code, message))
          break
        }
      }
      waiting.delete(id)
    },
    cut: () => {
      gone = true
      for (const { reject } of waiting.values()) reject(new GoneError('the process is gone'))
      waiting.clear()
    },
  }
}
