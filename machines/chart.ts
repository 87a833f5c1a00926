// One step of a chart, strict: XState silently ignores an event that the state does not expect, we never do.

import { initialTransition, transition, type AnyActorScope, type AnyStateMachine, type EventFromLogic, type SnapshotFrom } from 'xstate'

/** The state a chart starts in. */
export function startOf<M extends AnyStateMachine>(chart: M): SnapshotFrom<M> {
  const [snapshot] = (initialTransition as (chart: AnyStateMachine) => [SnapshotFrom<M>, unknown])(chart)
  return snapshot
}

/**
 * The state after an event, or null when the event is no edge from here.
 *
 * XState gives the same snapshot object back when no transition was enabled. It does so too for an edge that leads back to the
 * state it starts from and has no action, so every such edge of our charts has one.
 */
export function stepChart<M extends AnyStateMachine>(
  chart: M,
  snapshot: SnapshotFrom<M>,
  event: EventFromLogic<M>,
): SnapshotFrom<M> | null {
  const next = chart.transition(snapshot, event, INERT) as SnapshotFrom<M>
  return next === snapshot ? null : next
}

/**
 * The same by XState's public pure function, which builds a throw-away actor for each step. Seven times slower; here to be
 * compared with.
 */
export function stepChartPublic<M extends AnyStateMachine>(
  chart: M,
  snapshot: SnapshotFrom<M>,
  event: EventFromLogic<M>,
): SnapshotFrom<M> | null {
  const [next] = transition(chart, snapshot, event)
  return next === snapshot ? null : next
}

/**
 * A scope that collects nothing and runs nothing, shared by all steps. Our charts hold only `assign`, which needs none of it;
 * were an effect ever put into a chart, touching this scope would throw.
 */
const INERT = {
  id: 'inert',
  sessionId: 'inert',
  defer: refuse,
  emit: refuse,
  stopChild: refuse,
  actionExecutor: refuse,
  logger: refuse,
  self: { send: refuse },
  // The one thing a step does with its scope: telling inspectors, of which there are none.
  system: { _sendInspectionEvent: () => undefined },
} as unknown as AnyActorScope

function refuse(): never {
  throw new Error('a chart has no effects')
}
