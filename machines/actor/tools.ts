// The tool behind a call: the very one that the turn was offered and the call was judged by, whatever the catalog is by now.

import type { CallState, TurnState } from '../state.ts'
import type { Tool } from '../tool.ts'
import type { Actor } from './actor.ts'

/** The registered tool, where it is the one that the turn was opened with; null where it is gone or is another one by now (C7). */
export function offeredTool({ ports }: Actor, state: TurnState, call: CallState): Tool | null {
  const { name } = call.item
  const tool = ports.tools.get(name)
  return tool !== undefined && tool.descriptor.version === state.catalog.get(name)?.version ? tool : null
}
