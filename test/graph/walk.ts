// A walk over a chart: every configuration that can be reached, the shortest way there, and the shortest way over every edge.

import { getShortestPaths } from '@xstate/graph'
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'

/** One way through a chart: the events from its start on. */
export type Way = readonly AnyEventObject[]

/** A configuration: state and context, with the shortest way to it. */
export type Configuration = { readonly snapshot: AnyMachineSnapshot; readonly way: Way }

/** An edge as the chart is written: from a state, on an event, under a guard. `taken` is the shortest way over it, if there is one. */
export type Edge = { readonly name: string; readonly taken: Way | null }

/** More configurations than any of our charts has: a walk that meets more has lost a bound. */
const LIMIT = 50_000

/** @param stop configurations that are reached and not walked on from, where a chart counts without end */
export function configurations(
  chart: AnyStateMachine,
  signals: readonly AnyEventObject[],
  stop: (snapshot: AnyMachineSnapshot) => boolean = () => false,
): readonly Configuration[] {
  const paths = getShortestPaths(chart, { events: signals, limit: LIMIT, stopWhen: stop })
  return paths.map(({ state, steps }) => ({ snapshot: state, way: steps.slice(1).map(step => step.event) }))
}

/** Every edge that the chart is written with, and the shortest way over each. */
export function edgesOf(chart: AnyStateMachine, reached: readonly Configuration[], signals: readonly AnyEventObject[]): readonly Edge[] {
  const ways = new Map<unknown, Way>()
  for (const { snapshot, way } of reached.toSorted((a, b) => a.way.length - b.way.length)) {
    for (const signal of signals) {
      for (const taken of chart.getTransitionData(snapshot, signal)) if (!ways.has(taken)) ways.set(taken, [...way, signal])
    }
  }
  return writtenEdges(chart).map(({ name, transition }) => ({ name, taken: ways.get(transition) ?? null }))
}

function writtenEdges(chart: AnyStateMachine): readonly { readonly name: string; readonly transition: unknown }[] {
  return Object.values(chart.root.states).flatMap(state =>
    [...state.transitions.values()].flat().map(transition => {
      const guard = typeof transition.guard === 'string' ? ` [${transition.guard}]` : ''
      const target = transition.target?.[0]?.key ?? state.key
      return { name: `${state.key} → ${target} on ${transition.eventType}${guard}`, transition }
    }),
  )
}
