// What one run is made of, drawn from its seed. Each kind of fault is in some runs and not in others, so that one does not
// hide what another would show.

import type { LimitOptions } from '../../machines/limits.ts'
import type { Chance } from './chance.ts'

/** Probabilities are per call of a port unless something else is said; times are virtual milliseconds. */
export type Plan = {
  readonly workers: number
  /** Turns that one worker drives at once. */
  readonly concurrency: number
  readonly turns: number
  /** While it lasts faults happen and people act; then everything is well again and must come to its end. */
  readonly chaosMs: number
  /** How long a call is on its way, there and back. */
  readonly latencyMs: number
  /** A process dies right before or right after a call. */
  readonly kill: number
  /** One kind of call at which a process dies far more often. */
  readonly killAt: string | null
  /** A process stands still for a while, mostly for longer than its lease. */
  readonly freeze: number
  /** One kind of call at which it stands still far more often. */
  readonly freezeAt: string | null
  /** Its clock stands still with it, so that it does not notice. */
  readonly clockStands: boolean
  /** An append loses its connection, before or after it was written. */
  readonly cut: number
  readonly busy: number
  /** The store refuses the record of a result. */
  readonly refuseRecord: number
  /** Now and then a process cannot reach the store for a while. */
  readonly storeOutages: boolean
  readonly busOutages: boolean
  readonly busSlow: boolean
  /** The clock of the store jumps, mostly forward. */
  readonly clockJumps: boolean
  /** Workers drain and come back. */
  readonly drains: boolean
  /** The store tells nobody that somebody else appended; polling is all there is. */
  readonly deaf: boolean
  /** Arguments hold secrets, and whether the host has a key to seal them with. */
  readonly secrets: 'none' | 'sealed' | 'unsealed'
  readonly modelFails: number
  readonly toolFails: number
  /** A tool or the model takes longer than it may, or never answers. */
  readonly hangs: number
  readonly consumers: number
  readonly follows: boolean
  /**
   * The second worker is of another release: it lacks a tool, or has a changed one. Or the tool is gone: workers that start again lack
   * it, and in the end all have started again.
   */
  readonly drift: 'none' | 'lacks' | 'changed' | 'gone'
  /** Second copies that the broker takes for new ones; and what is unanswered is given again. */
  readonly copies: number
  /** Mean time between two acts of people. */
  readonly peopleMs: number
  readonly providerTools: 'none' | 'read-only' | 'effect'
  /** Results that are too large for a record are kept beside the streams. */
  readonly blobs: boolean
  readonly limits: LimitOptions
}

/** Faults that may befall a worker without leaving a mark on it: any claim may come to nothing, any call be left in doubt. */
export function isHardOnAll(plan: Plan): boolean {
  const { storeOutages, clockJumps, busy, refuseRecord, cut, latencyMs, limits } = plan
  const late = (limits.startWithinMs ?? 5_000) < 5_000 || latencyMs > 400
  return storeOutages || clockJumps || busy > 0 || refuseRecord > 0 || cut > 0 || late
}

/** Whatever is decided is written in the same moment. */
export function isPrompt({ latencyMs, freeze, freezeAt, clockJumps, storeOutages, cut, busy }: Plan): boolean {
  return latencyMs + freeze + cut + busy === 0 && freezeAt === null && !clockJumps && !storeOutages
}

/** Nothing befalls anybody in some runs: then nothing may be in doubt, parked or late. */
const FAIR: Partial<Plan> = {
  latencyMs: 2,
  kill: 0,
  killAt: null,
  freeze: 0,
  freezeAt: null,
  cut: 0,
  busy: 0,
  refuseRecord: 0,
  storeOutages: false,
  busOutages: false,
  busSlow: false,
  clockJumps: false,
  drains: false,
}

export function drawPlan(chance: Chance): Plan {
  const plan = drawStorm(chance)
  return chance.hit(0.12) ? { ...plan, ...FAIR } : plan
}

function drawStorm(chance: Chance): Plan {
  const sometimes = <T, N>(probability: number, then: () => T, otherwise: N) => (chance.hit(probability) ? then() : otherwise)
  return {
    workers: chance.from(1, 3),
    concurrency: chance.from(1, 4),
    turns: chance.from(1, 5),
    chaosMs: chance.from(10_000, 45_000),
    latencyMs: chance.one([0, 0, 2, 20, 400, 3_000]),
    kill: sometimes(0.5, () => chance.one([0.01, 0.03, 0.08]), 0),
    killAt: sometimes(0.4, () => chance.one(STRUCK_AT), null),
    freeze: sometimes(0.35, () => chance.one([0.005, 0.03]), 0),
    freezeAt: sometimes(0.25, () => chance.one(STRUCK_AT), null),
    clockStands: chance.hit(0.5),
    cut: sometimes(0.3, () => 0.15, 0),
    busy: sometimes(0.2, () => 0.1, 0),
    refuseRecord: sometimes(0.1, () => chance.one([0.2, 0.9]), 0),
    storeOutages: chance.hit(0.15),
    busOutages: chance.hit(0.3),
    busSlow: chance.hit(0.2),
    clockJumps: chance.hit(0.15),
    drains: chance.hit(0.2),
    deaf: chance.hit(0.3),
    secrets: chance.one(['none', 'none', 'none', 'sealed', 'unsealed'] as const),
    modelFails: sometimes(0.4, () => 0.2, 0),
    toolFails: chance.one([0, 0.1, 0.4]),
    hangs: sometimes(0.3, () => 0.15, 0),
    consumers: sometimes(0.5, () => chance.from(1, 2), 0),
    follows: chance.hit(0.25),
    peopleMs: chance.one([200, 800, 3_000]),
    providerTools: chance.one([...Array<'none'>(8).fill('none'), 'read-only', 'effect'] as const),
    blobs: chance.hit(0.3),
    drift: chance.one([...Array<'none'>(12).fill('none'), 'lacks', 'changed', 'gone'] as const),
    copies: sometimes(0.25, () => 0.1, 0),
    limits: drawLimits(chance),
  }
}

/** Calls of ports, by the words that the line of a process uses for them. */
const STRUCK_AT = [
  'append round.recorded',
  'append call.dispatched',
  'append call.recorded',
  'append call.settled',
  'append turn',
  'run',
  'ask',
  'reconcile',
  'publish',
  'claim',
  'release',
  'heartbeat',
  'read',
  'open',
  'acknowledge',
  'handle',
  'sealed',
] as const

/** Most are wide; a few are so small that they are met. */
function drawLimits(chance: Chance): LimitOptions {
  const narrow = <T>(wide: T, ...small: readonly T[]) => (chance.hit(0.2) ? chance.one(small) : wide)
  return {
    rounds: narrow(8, 1, 2, 3, 4),
    callsPerRound: narrow(4, 1, 2, 3),
    callsPerTurn: narrow(24, 2, 4, 7),
    repairs: narrow(4, 0, 1),
    repeats: narrow(2, 1, 3),
    truncationRetries: narrow(2, 0, 1),
    schemaRepairs: narrow(2, 0),
    clarifications: narrow(2, 0, 1),
    clarificationLifetimeMs: chance.one([3_000, 15_000, 40_000]),
    dispatches: narrow(5, 1, 2),
    startWithinMs: narrow(5_000, 0, 50, 1_000),
    recordBytes: narrow(65_536, 60, 400),
    concurrentReads: narrow(4, 1, 2),
    approvalLifetimeMs: chance.one([2_000, 10_000, 30_000]),
    turnTimeoutMs: narrow(120_000, 3_000, 10_000),
    modelTries: narrow(4, 1, 2),
    toolTries: narrow(3, 1, 2),
    turnedAway: narrow(2, 0, 1),
  }
}
