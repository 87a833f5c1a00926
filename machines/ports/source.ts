// Where tools come from that a host does not write itself: a list that may change while the runtime runs.

import type { Tool } from '../tool.ts'

/** Tools that come and go. A turn's own catalog is frozen when it opens; what changes here is for the turns after it (G2). */
export type ToolSource = {
  /** What its tools are told apart by where a name is taken: `name__tool`. No `__` stands in it. */
  readonly name: string
  /** All of its tools, whole, as they are now. A tool that did not change is the same object. */
  readonly list: () => readonly Tool[]
  /** Has the listener called after each change of the list; gives what ends that. */
  readonly changed: (listener: () => void) => () => void
  /** Lets go of what it holds. The runtime that it was given to does so at its own close. */
  readonly close: () => Promise<void>
}
