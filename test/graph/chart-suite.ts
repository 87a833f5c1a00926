// What is asked of every chart: it holds the edges of the law and no others, each can be taken, nothing is out of reach, and both
// ways of stepping it agree on every pair of configuration and event.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { startOf, stepChart, stepChartPublic } from '../../machines/chart.ts'
import type { Law } from './law.ts'
import { configurations, edgesOf, type Configuration, type Way } from './walk.ts'

export type Subject = {
  readonly chart: AnyStateMachine
  readonly signals: readonly AnyEventObject[]
  readonly law: Law
  /** Configurations that are not walked on from. */
  readonly stop?: (snapshot: AnyMachineSnapshot) => boolean
}

export function describeChart({ chart, signals, law, stop }: Subject): void {
  const reached = configurations(chart, signals, stop)

  test('it has the edges of the law and no others', () => {
    expect(
      stepsTaken(
        chart,
        signals,
        reached.map(each => each.snapshot),
      ),
    ).toEqual(sorted(law))
  })

  test('every state is reached', () => {
    expect(new Set(reached.map(each => each.snapshot.value))).toEqual(new Set(Object.keys(chart.root.states)))
  })

  describe('an edge can be taken', () => {
    test.each(edgesOf(chart, reached, signals))('$name', ({ name, taken }) => {
      const end = follow(chart, taken ?? [])
      expect(taken, 'no way leads over this edge').not.toBeNull()
      expect(name).toContain(` → ${String(end.value)} on `)
    })
  })

  test('a pair of configuration and event that is no edge gives null', () => {
    const wrong = pairs(chart, reached, signals).filter(({ snapshot, signal }) => {
      const next = stepChart(chart, snapshot, signal)
      return (next === null) === snapshot.can(signal) || (next !== null && law[snapshot.value]?.[signal.type] === undefined)
    })
    expect(wrong.map(each => each.name)).toEqual([])
  })

  test('both step functions say the same of every pair', () => {
    const differing = pairs(chart, reached, signals).filter(({ snapshot, signal }) => {
      const fast = stepChart(chart, snapshot, signal)
      return !isDeepStrictEqual(plain(fast), plain(stepChartPublic(chart, snapshot, signal)))
    })
    expect(differing.map(each => each.name)).toEqual([])
  })

  test('a step changes nothing of the snapshot it starts from', () => {
    for (const { snapshot } of reached) {
      const before = JSON.stringify(plain(snapshot))
      for (const signal of signals) stepChart(chart, snapshot, signal)
      expect(JSON.stringify(plain(snapshot))).toBe(before)
    }
  })
}

function pairs(chart: AnyStateMachine, reached: readonly Configuration[], signals: readonly AnyEventObject[]) {
  return reached.flatMap(({ snapshot }) =>
    signals.map(signal => ({ snapshot, signal, name: `${chart.id}: ${JSON.stringify(plain(snapshot))} on ${JSON.stringify(signal)}` })),
  )
}

/** The snapshot at the end of a way, by both step functions, which agree on every step. */
export function follow(chart: AnyStateMachine, way: Way): AnyMachineSnapshot {
  let at: AnyMachineSnapshot = startOf(chart)
  for (const signal of way) {
    const next = stepChart(chart, at, signal)
    expect(plain(next)).toEqual(plain(stepChartPublic(chart, at, signal)))
    if (next === null) throw new Error(`${String(at.value)} takes no ${signal.type}`)
    at = next
  }
  return at
}

function plain(snapshot: AnyMachineSnapshot | null) {
  return snapshot === null ? null : { value: snapshot.value, context: snapshot.context, tags: [...snapshot.tags].sort() }
}

function stepsTaken(chart: AnyStateMachine, signals: readonly AnyEventObject[], from: readonly AnyMachineSnapshot[]): Law {
  const steps: Record<string, Record<string, string[]>> = {}
  for (const snapshot of from) {
    const events = (steps[String(snapshot.value)] ??= {})
    for (const signal of signals) {
      const next = stepChart(chart, snapshot, signal)
      if (next === null) continue
      const targets = (events[signal.type] ??= [])
      if (!targets.includes(String(next.value))) targets.push(String(next.value))
    }
  }
  return sorted(steps)
}

function sorted(law: Law): Law {
  return Object.fromEntries(
    Object.entries(law).map(([state, events]) => [
      state,
      Object.fromEntries(Object.entries(events).map(([event, targets]) => [event, [...targets].sort()])),
    ]),
  )
}
