// The life of one simulated process: it runs, stands still, or is dead. What it awaits reaches it only while it runs.

import type { Clock } from '../../machines/ports/world.ts'
import type { Time } from './time.ts'

export type Life = {
  /** `w1.2`: the second start of the first worker. */
  readonly name: string
  readonly isDead: () => boolean
  readonly isFrozen: () => boolean
  /** Resolves when the process runs: at once, or when it thaws; never when it is dead. */
  readonly running: () => Promise<void>
  /** Nothing ever reaches it again. */
  readonly die: () => void
  /** @param clockStands its monotonic clock stands still with it */
  readonly freeze: (clockStands: boolean) => void
  readonly thaw: () => void
  readonly clock: Clock
  /** Its clock stood still at some time: what it measured says nothing. */
  readonly lostTime: () => boolean
  /** It died, or stood still at some time. */
  readonly hadTrouble: () => boolean
  /** When it died; null while it did not. */
  readonly diedAt: () => number | null
}

type State = {
  status: 'runs' | 'frozen' | 'dead'
  /** Time that its clock missed, and since when it misses more. */
  missed: number
  standsSince: number | null
  lostTime: boolean
  stood: boolean
  diedAt: number | null
  readonly waiting: (() => void)[]
}

export function newLife(name: string, time: Time): Life {
  const state: State = { status: 'runs', missed: 0, standsSince: null, lostTime: false, stood: false, diedAt: null, waiting: [] }
  const monotonic = () => (state.standsSince ?? time.now()) - state.missed
  return {
    name,
    isDead: () => state.status === 'dead',
    isFrozen: () => state.status === 'frozen',
    running: () => (state.status === 'runs' ? Promise.resolve() : new Promise(resolve => state.waiting.push(resolve))),
    die: () => {
      state.status = 'dead'
      state.diedAt ??= time.now()
      state.waiting.length = 0
    },
    freeze: clockStands => {
      if (state.status !== 'runs') return
      state.status = 'frozen'
      state.stood = true
      state.lostTime ||= clockStands
      if (clockStands) state.standsSince = time.now()
    },
    thaw: () => {
      if (state.status !== 'frozen') return
      if (state.standsSince !== null) state.missed += time.now() - state.standsSince
      state.standsSince = null
      state.status = 'runs'
      for (const resume of state.waiting.splice(0)) resume()
    },
    clock: { monotonic, sleep: (ms, signal) => sleep(state, time, monotonic, ms, signal) },
    lostTime: () => state.lostTime,
    hadTrouble: () => state.stood || state.status === 'dead',
    diedAt: () => state.diedAt,
  }
}

/** Ends when the process's own clock says so, or at an abort, and never while the process does not run. */
function sleep(state: State, time: Time, monotonic: () => number, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (state.status === 'dead') return new Promise(() => {})
  if (signal?.aborted === true) return Promise.resolve()
  const due = monotonic() + Math.ceil(ms)
  return new Promise(resolve => {
    let takeBack = () => {}
    const end = () => {
      takeBack()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const wake = () => {
      if (state.status === 'dead') return
      if (state.status === 'frozen') return void state.waiting.push(wake)
      const left = due - monotonic()
      if (left <= 0) return end()
      takeBack = time.after(left, wake)
    }
    takeBack = time.after(ms, wake)
    signal?.addEventListener('abort', end)
  })
}
