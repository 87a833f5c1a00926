// What the row of a turn shows of its state, for lists, claims and the inbox.

import { pending } from './effects.ts'
import type { Projection } from './ports/rows.ts'
import { callStateName, openCalls, stateName, type TurnState } from './state.ts'

/** The projection of a state: written with every append, never believed by a fold. */
export function project(state: TurnState): Projection {
  return {
    state: stateName(state),
    code: state.end?.code ?? null,
    attempt: state.attempt,
    tools: state.toolsSeen,
    outcomes: state.outcomesSeen,
    wakeAt: wakeAt(state),
  }
}

function wakeAt(state: TurnState): Projection['wakeAt'] {
  const effect = pending(state)
  switch (effect.kind) {
    case 'none':
      return null
    case 'await-answer':
      return effect.deadline
    case 'await-approval':
      return firstDeadline(state, effect.deadline)
    default:
      return 'now'
  }
}

/** Each hold of a round has its own deadline, and the first that passes is looked at first. */
function firstDeadline(state: TurnState, deadline: number): number {
  const held = openCalls(state).filter(call => callStateName(call) === 'held')
  return Math.min(deadline, ...held.map(call => call.hold?.expiresAt ?? deadline))
}
