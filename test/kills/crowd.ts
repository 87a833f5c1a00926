// A crowd of turns: of each sort many, with what is right for each of them when it rests, whoever died meanwhile.

import type { ScriptedRound } from '../../adapters/models/script.ts'
import type { JsonObject } from '../../machines/json.ts'
import type { TurnRow } from '../../machines/ports/rows.ts'
import type { Deed } from './effects.ts'
import { planOfRow } from './generations.ts'

type Sort = {
  readonly script: readonly ScriptedRound[]
  /** What the web does with its holds. */
  readonly person: 'approves' | 'denies' | 'is not asked'
  /** Things done to the world when it completed. */
  readonly deeds: number
  /** True: a worker that dies in its call leaves it in doubt for good. */
  readonly mayFail: boolean
}

/** Milliseconds before and after the effect of a call: long enough for a kill to strike there often. */
const MS = 40

const call = (name: string, args: JsonObject = {}) => ({ call: { name, arguments: { ms: MS, ...args } } })
const round = (...content: readonly ReturnType<typeof call>[]): ScriptedRound => ({ stop: 'tool_calls', content })
const end: ScriptedRound = { stop: 'end', content: [{ text: 'Done.' }] }

const SORTS: readonly Sort[] = [
  { script: [round(call('look'), call('look', { ms: MS + 1 }), call('put')), end], person: 'is not asked', deeds: 1, mayFail: false },
  { script: [round(call('pay')), end], person: 'is not asked', deeds: 1, mayFail: true },
  { script: [round(call('pay_fenced')), round(call('put')), end], person: 'is not asked', deeds: 2, mayFail: false },
  { script: [round(call('look'), call('put', { asks: true })), end], person: 'approves', deeds: 1, mayFail: false },
  { script: [round(call('pay', { asks: true }), call('pay_fenced')), end], person: 'approves', deeds: 2, mayFail: true },
  { script: [round(call('put', { asks: true })), end], person: 'denies', deeds: 0, mayFail: false },
]

function sortOf(index: number): Sort {
  return SORTS[index % SORTS.length] as Sort
}

export function memberOf(index: number): { readonly name: string; readonly script: Sort['script'] } {
  return { name: `member ${index}`, script: sortOf(index).script }
}

function indexOf(plan: string): number {
  return Number(plan.split(' ')[1])
}

export function isApproved(plan: string): boolean {
  return sortOf(indexOf(plan)).person === 'approves'
}

/** What is wrong with a turn that rests; null where nothing is. */
export function wrongWith(row: TurnRow, deeds: readonly Deed[]): string | null {
  const plan = planOfRow(row)
  const { deeds: expected, mayFail } = sortOf(indexOf(plan))
  const twice = deeds.length - new Set(deeds.map(({ invocation }) => invocation)).size
  if (twice > 0) return `${plan}: ${twice} calls had their effects twice`
  if (row.state === 'failed' && row.code === 'tool_outcome_unknown' && mayFail) return null
  if (row.state !== 'completed') return `${plan}: ${row.state}, ${row.code}`
  return deeds.length === expected ? null : `${plan}: completed with ${deeds.length} effects`
}
