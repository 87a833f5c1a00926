// Some seeds one after the other, in a process of their own: each failure is told as it is found, and what was done in the end.

import process from 'node:process'
import { simulate, type Report } from './run.ts'

export type Order = { readonly first: number; readonly runs: number; readonly step: number }

export type Failure = { readonly seed: string; readonly broken: string; readonly lines: readonly string[] }
export type Sums = Report['sums']
/** What a slice tells of itself. */
export type Word = { readonly failure: Failure } | { readonly done: Sums }

/** Runs every `step`-th seed from `first` on. */
export async function runSlice({ first, runs, step }: Order, tell: (word: Word) => void): Promise<void> {
  let done: Sums = { runs: 0, turns: 0, events: 0, starts: 0, deaths: 0, virtualMs: 0 }
  for (let index = 0; index < runs; index += 1) {
    const seed = String(first + index * step)
    const { broken, lines, sums } = await simulate(seed)
    done = add(done, sums)
    if (broken !== null) tell({ failure: { seed, broken, lines } })
  }
  tell({ done })
}

export function add(a: Sums, b: Sums): Sums {
  return {
    runs: a.runs + b.runs,
    turns: a.turns + b.turns,
    events: a.events + b.events,
    starts: a.starts + b.starts,
    deaths: a.deaths + b.deaths,
    virtualMs: a.virtualMs + b.virtualMs,
  }
}

if (process.send !== undefined && process.argv[2] !== undefined) {
  await runSlice(JSON.parse(process.argv[2]) as Order, word => process.send?.(word))
  process.disconnect()
}
