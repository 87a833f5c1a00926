// Who in this process waits for news of a turn. News says that there may be something to read, never what.

import type { Progress } from '../actor/actor.ts'

export type Hub = {
  /** Something of this turn was committed, or may have been. */
  readonly tell: (turnId: string) => void
  readonly tellProgress: (progress: Progress) => void
  /** Calls back at every news of the turn until it is taken off. */
  readonly listen: (turnId: string, onNews: () => void, onProgress?: (progress: Progress) => void) => () => void
}

type Listener = { readonly onNews: () => void; readonly onProgress: ((progress: Progress) => void) | undefined }

export function createHub(): Hub {
  const listeners = new Map<string, Set<Listener>>()
  return {
    tell: turnId => {
      for (const listener of listeners.get(turnId) ?? []) listener.onNews()
    },
    tellProgress: progress => {
      for (const listener of listeners.get(progress.turnId) ?? []) listener.onProgress?.(progress)
    },
    listen: (turnId, onNews, onProgress) => {
      const listener: Listener = { onNews, onProgress }
      const ofTurn = listeners.get(turnId) ?? new Set()
      listeners.set(turnId, ofTurn.add(listener))
      return () => {
        ofTurn.delete(listener)
        if (ofTurn.size === 0) listeners.delete(turnId)
      }
    },
  }
}
