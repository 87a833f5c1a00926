// A source of tools whose list is in the hands of a test.

import type { ToolSource } from '../../machines/ports/source.ts'
import type { Tool } from '../../machines/tool.ts'

export type HeldSource = ToolSource & {
  /** Gives it other tools, and tells whoever listens. */
  readonly become: (...tools: readonly Tool[]) => void
  readonly isClosed: () => boolean
}

export function heldSource(name: string, ...first: readonly Tool[]): HeldSource {
  let tools = first
  let closed = false
  const listeners = new Set<() => void>()
  return {
    name,
    list: () => tools,
    changed: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {
      closed = true
    },
    become: (...next) => {
      tools = next
      for (const listener of listeners) listener()
    },
    isClosed: () => closed,
  }
}
