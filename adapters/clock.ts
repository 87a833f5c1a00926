// Time and chance of the machine this process runs on.

import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Clock, Random } from '../machines/ports/world.ts'

/** The longest wait that a timer of the platform can hold; longer ones are made of several. */
const TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = { monotonic: () => performance.now(), sleep }

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && signal?.aborted !== true; left -= TIMER_MS) await wait(Math.min(left, TIMER_MS), signal)
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

export const systemRandom: Random = {
  turnId: () => uuidv7(),
  workerId: () => Buffer.from(randomBytes(12)).toString('base64url'),
  bytes: pooledBytes,
  fraction: () => Math.random(),
}

/** Random bytes are asked of the system in larger pieces: a turn takes many small ones. No byte is handed out twice. */
const POOL_BYTES = 8_192
let pool: Uint8Array = new Uint8Array(0)
let taken = 0

function pooledBytes(count: number): Uint8Array {
  if (count > POOL_BYTES) return randomBytes(count)
  if (taken + count > pool.length) {
    pool = randomBytes(POOL_BYTES)
    taken = 0
  }
  taken += count
  return pool.slice(taken - count, taken)
}
