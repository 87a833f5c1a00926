// How long to wait before trying again: longer and longer, and not all at one moment.

import { systemRandom } from '../../clock.ts'

const FIRST_MS = 250
const MOST_MS = 30_000

/** @param tries so far, from 1 */
export function pauseMs(tries: number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 30)) * (0.5 + systemRandom.fraction() / 2)
}
