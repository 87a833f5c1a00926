// What the parts of the server share: the runtime beneath, its tools, and how far it is open.

import type { Log } from '../../../machines/ports/world.ts'
import type { Runtime } from '../../../machines/runtime/api.ts'
import type { Tool } from '../../../machines/tool.ts'
import type { Desk } from './caller-model.ts'
import type { StateSeal } from './request-state.ts'

/** How the server names itself to its clients. */
export type McpServerInfo = { readonly name: string; readonly version: string; readonly title?: string }

export type House = {
  readonly runtime: Runtime
  readonly desk: Desk
  readonly seal: StateSeal
  /** The whole catalog by name, in its order, as it is at each look. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Names that are offered now, in the order of the catalog. */
  readonly offered: () => readonly string[]
  readonly info: McpServerInfo
  readonly instructions: string | undefined
  readonly log: Log
  /** True from the beginning of the close: nothing new is taken. */
  readonly closing: () => boolean
  /** Counts a call as under way until it settles; the close waits for them. */
  readonly underWay: <T>(work: Promise<T>) => Promise<T>
}
