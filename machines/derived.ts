// What an event says although it follows from its place: the ids of calls, invocations and approvals. Derived anew and compared,
// so nobody has to believe a stored one (D1, C5).

import { ToolturnError } from './errors.ts'
import type { Event } from './events.ts'
import { step } from './fold.ts'
import { approvalId, hostCallId, invocationId } from './ids.ts'
import type { TurnState } from './state.ts'

/**
 * A step that also derives the event's ids.
 *
 * @throws ToolturnError `illegal_history`
 */
export function stepDerived(state: TurnState, event: Event): TurnState {
  const wrong = misnamed(state, event)
  if (wrong === null) return step(state, event)
  const { turnId, version, type } = event
  throw new ToolturnError('illegal_history', `Event ${type} at version ${version} may not stand there: ${wrong}.`, {
    turnId,
    version,
    event: type,
  })
}

/** Which of its ids is not the one that follows; null when all are. */
function misnamed(state: TurnState, event: Event): string | null {
  const { turnId, tenant } = state
  if (event.turnId !== turnId || event.tenant !== tenant) return 'it is of another turn'
  switch (event.type) {
    case 'round.recorded': {
      const good = event.data.items.every(item => item.kind !== 'call' || item.id === hostCallId(item.ordinal))
      return good ? null : 'a call does not stand under its host id'
    }
    case 'call.dispatched': {
      const { ordinal, tool } = event.data
      const good = event.data.invocationId === invocationId({ tenant, turnId, ordinal, tool }) && tool === toolOf(state, ordinal)
      return good ? null : `its invocation id is not that of call ${ordinal}`
    }
    case 'call.held': {
      const { ordinal } = event.data
      const hold = (state.calls.get(ordinal)?.holds ?? 0) + 1
      const good = event.data.approvalId === approvalId(turnId, ordinal, hold)
      return good ? null : `its approval id is not that of hold ${hold} of call ${ordinal}`
    }
    default:
      return null
  }
}

function toolOf(state: TurnState, ordinal: number): string | undefined {
  return state.calls.get(ordinal)?.item.name
}
