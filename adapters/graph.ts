// The two charts as a picture and as data, read off the machines themselves: what is drawn is what the fold steps.

import type { AnyStateMachine } from 'xstate'
import { callChart } from '../machines/call.ts'
import { turnChart } from '../machines/turn.ts'

export type ChartName = 'turn' | 'call'
export type GraphFormat = 'mermaid' | 'json'

export type ChartNode = {
  readonly id: string
  readonly tags: readonly string[]
  /** `effect`: what the state asks for, where it asks for something. */
  readonly meta: { readonly effect?: string }
}

export type ChartEdge = {
  readonly from: string
  readonly to: string
  readonly event: string
  /** Of several edges on one event, the first whose guard holds is taken. */
  readonly guard: string | null
}

export type ChartGraph = {
  readonly chart: ChartName
  readonly initial: string
  readonly nodes: readonly ChartNode[]
  readonly edges: readonly ChartEdge[]
}

const CHARTS: { readonly [name in ChartName]: AnyStateMachine } = { turn: turnChart, call: callChart }

/** The nodes and edges of a chart, in the order they are written. */
export function chartGraph(chart: ChartName): ChartGraph {
  const { root } = CHARTS[chart]
  const states = Object.values(root.states)
  return {
    chart,
    initial: String(root.initial.target[0]?.key),
    nodes: states.map(state => ({ id: state.key, tags: [...state.tags], meta: state.meta ?? {} })),
    edges: states.flatMap(state =>
      [...state.transitions.values()].flat().map(({ eventType, target, guard }) => ({
        from: state.key,
        to: target?.[0]?.key ?? state.key,
        event: eventType,
        guard: typeof guard === 'string' ? guard : null,
      })),
    ),
  }
}

/** A chart as text: a Mermaid state diagram, or JSON of its nodes and edges. Ends with a newline. */
export function graphOf(chart: ChartName, format: GraphFormat): string {
  const graph = chartGraph(chart)
  switch (format) {
    case 'json':
      return `${JSON.stringify(graph, null, 2)}\n`
    case 'mermaid':
      return mermaid(graph)
  }
}

function mermaid({ initial, nodes, edges }: ChartGraph): string {
  const lines = ['stateDiagram-v2']
  for (const { id, meta } of nodes) {
    lines.push(`  state "${id}" as ${mermaidId(id)}`)
    if (meta.effect !== undefined) lines.push(`  ${mermaidId(id)}: ${meta.effect}`)
  }
  lines.push(`  [*] --> ${mermaidId(initial)}`)
  for (const { from, to, guard, events } of arrows(edges)) {
    lines.push(`  ${mermaidId(from)} --> ${mermaidId(to)}: ${events.join(', ')}${guard === null ? '' : ` [${guard}]`}`)
  }
  for (const node of nodes) if (isLast(node)) lines.push(`  ${mermaidId(node.id)} --> [*]`)
  return `${lines.join('\n')}\n`
}

/** An end of a turn, or an outcome that stays. */
function isLast({ tags }: ChartNode): boolean {
  return tags.includes('end') || (tags.includes('outcome') && !tags.includes('open'))
}

/** Edges between the same states under the same guard are one arrow, with all their events. */
function arrows(edges: readonly ChartEdge[]): readonly (Omit<ChartEdge, 'event'> & { readonly events: readonly string[] })[] {
  const groups = Map.groupBy(edges, ({ from, to, guard }) => JSON.stringify([from, to, guard]))
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return []
    const { from, to, guard } = first
    return [{ from, to, guard, events: [first, ...rest].map(edge => edge.event) }]
  })
}

/** Names of Mermaid states hold no hyphen. */
function mermaidId(id: string): string {
  return id.replaceAll('-', '_')
}
