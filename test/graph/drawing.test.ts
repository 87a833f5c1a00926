// Goal: `toolturn graph` draws the charts that the fold steps, in text that other programs can read.

import { describe, expect, test } from 'vitest'
import { chartGraph, graphOf, type ChartName } from '../../adapters/graph.ts'
import { callChart } from '../../machines/call.ts'
import { turnChart } from '../../machines/turn.ts'
import { expectGolden } from '../golden/compare.ts'
import { CALL_SIGNALS, MOST_DISPATCHES, TURN_SIGNALS } from './signals.ts'
import { configurations } from './walk.ts'

const CHARTS = [
  { name: 'turn', chart: turnChart, signals: TURN_SIGNALS },
  { name: 'call', chart: callChart, signals: CALL_SIGNALS },
] as const

describe.each(CHARTS)('the chart of a $name', ({ name, chart, signals }) => {
  const graph = chartGraph(name)

  test('is kept as a picture, so a change of the law is seen in its diff', () => {
    expectGolden(new URL(`../golden/charts/${name}.mmd`, import.meta.url), graphOf(name, 'mermaid'))
  })

  test('as JSON names every state, where it starts, and between which states an event may lead', () => {
    expect(JSON.parse(graphOf(name, 'json'))).toEqual(graph)
    expect(graph.nodes.map(node => node.id)).toEqual(Object.keys(chart.root.states))
    expect(graph.nodes.map(node => node.id)).toContain(graph.initial)
    const drawn = new Set(graph.edges.map(({ from, event, to }) => `${from} ${event} ${to}`))
    expect(drawn).toEqual(stepped(chart, signals))
  })

  test('as a picture has every edge of the JSON, and names that Mermaid takes', () => {
    const picture = graphOf(name, 'mermaid')
    const arrows = picture.split('\n').filter(line => line.includes('-->'))
    expect(arrows.filter(line => !/^ {2}(\[\*\]|\w+) --> (\[\*\]|\w+)(: [^:]+)?$/.test(line))).toEqual([])
    for (const { from, to, event, guard } of graph.edges) {
      const start = `  ${from.replaceAll('-', '_')} --> ${to.replaceAll('-', '_')}: `
      const drawn = arrows.some(line => line.startsWith(start) && line.includes(event) && (guard === null || line.endsWith(` [${guard}]`)))
      expect(drawn, `${from} ${event} ${to}`).toBe(true)
    }
  })
})

test('the JSON of a state says what it asks for and what kind of state it is', () => {
  const node = (chart: ChartName, id: string) => chartGraph(chart).nodes.find(each => each.id === id)
  expect(node('turn', 'thinking')).toEqual({ id: 'thinking', tags: [], meta: { effect: 'ask-model' } })
  expect(node('turn', 'completed')).toEqual({ id: 'completed', tags: ['end'], meta: {} })
  expect(node('call', 'held')).toEqual({ id: 'held', tags: ['outcome', 'open'], meta: { effect: 'await-approval' } })
})

test('the JSON of an edge names its guard', () => {
  const edges = chartGraph('call').edges.filter(edge => edge.from === 'dispatched' && edge.event === 'call.settled')
  expect(edges).toEqual([
    { from: 'dispatched', to: 'executed', event: 'call.settled', guard: 'the last dispatch happened' },
    { from: 'dispatched', to: 'admitted', event: 'call.settled', guard: 'the last dispatch did not happen' },
  ])
})

/** Every step that the walk took, as the JSON writes edges. */
function stepped(chart: (typeof CHARTS)[number]['chart'], signals: (typeof CHARTS)[number]['signals']): Set<string> {
  const steps = new Set<string>()
  for (const { snapshot } of configurations(chart, signals, each => each.context.dispatch > MOST_DISPATCHES)) {
    for (const signal of signals) {
      for (const { target } of chart.getTransitionData(snapshot as never, signal as never)) {
        steps.add(`${snapshot.value} ${signal.type} ${target?.[0]?.key ?? snapshot.value}`)
      }
    }
  }
  return steps
}
