// Which result belongs to which call of a history.

import type { Call, Result, Step } from './history.ts'

/** A result: the step it stands in, and its place there. */
export type Answer = { readonly result: Result; readonly step: number; readonly nth: number }

/** A call and the results that name it, from the steps behind it on. */
export type Asked = { readonly call: Call; readonly answers: Answer[] }

/** A result that names no call before it. */
export type Stray = Answer

export type Book = {
  readonly steps: readonly Step[]
  /** The calls of each step that holds some. */
  readonly rounds: ReadonlyMap<number, readonly Asked[]>
  readonly strays: readonly Stray[]
}

/** Gives every result to the latest call of its id before it; of several in one message, to the first that has none yet. */
export function book(steps: readonly Step[]): Book {
  const rounds = new Map<number, readonly Asked[]>()
  const strays: Stray[] = []
  const latest = new Map<string, readonly Asked[]>()
  steps.forEach((step, index) => {
    if (step.kind === 'assistant' && step.calls.length > 0) {
      const round = step.calls.map(call => ({ call, answers: [] }))
      rounds.set(index, round)
      for (const [id, same] of Map.groupBy(round, ({ call }) => call.id)) if (id !== null) latest.set(id, same)
    }
    if (step.kind !== 'results') return
    step.results.forEach((result, nth) => {
      const named = result.id === null ? [] : (latest.get(result.id) ?? [])
      const owner = named.find(({ answers }) => answers.length === 0) ?? named.at(-1)
      const answer = { result, step: index, nth }
      if (owner === undefined) strays.push(answer)
      else owner.answers.push(answer)
    })
  })
  return { steps, rounds, strays }
}

/** Where the messages of results right behind a step end. */
export function windowEnd(steps: readonly Step[], step: number): number {
  let end = step + 1
  while (steps[end]?.kind === 'results') end += 1
  return end
}
