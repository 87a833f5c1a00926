// Seeds over all processors: each slice takes every n-th of them.

import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { add, type Failure, type Order, type Sums, type Word } from './slice.ts'

export type Outcome = { readonly failures: readonly Failure[]; readonly sums: Sums }

const SLICE = fileURLToPath(new URL('./slice.ts', import.meta.url))

/**
 * Runs seeds `first`, `first + 1`, …
 *
 * @param onFailure told of each failure as it is found
 * @throws Error when a slice dies
 */
export async function runSeeds(first: number, runs: number, onFailure: (failure: Failure) => void = () => {}): Promise<Outcome> {
  const step = Math.min(runs, availableParallelism())
  const failures: Failure[] = []
  const orders = Array.from({ length: step }, (_, index): Order => ({ first: first + index, step, runs: Math.ceil((runs - index) / step) }))
  const slices = orders.map(order =>
    slice(order, failure => {
      failures.push(failure)
      onFailure(failure)
    }),
  )
  const sums = await Promise.all(slices)
  return { failures: failures.toSorted((a, b) => Number(a.seed) - Number(b.seed)), sums: sums.reduce(add) }
}

function slice(order: Order, onFailure: (failure: Failure) => void): Promise<Sums> {
  return new Promise((resolve, reject) => {
    const child = fork(SLICE, [JSON.stringify(order)])
    child.on('message', (word: Word) => {
      if ('failure' in word) onFailure(word.failure)
      else resolve(word.done)
    })
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`a slice from seed ${order.first} ended with ${code} before it was done`)))
  })
}
