// Every bound of a turn: its default, its unit, and the reason a turn ends with when it is met (contract, section 9).

/** Bounds of one turn. Counts are whole numbers; names that end in `Ms` are milliseconds, in `Bytes` bytes. */
export type Limits = {
  /** Rounds of the model in an attempt. The calls of the last one do not run. */
  readonly rounds: number
  /** Calls of one round that go on; the others get `ended-turn` and a hint. */
  readonly callsPerRound: number
  readonly callsPerTurn: number
  /** Rounds that held an `invalid` call (B7). */
  readonly repairs: number
  /** How often a like call may fail, or a read return the same, before it is suppressed (B8). */
  readonly repeats: number
  /** Further asks after a truncated round, in a row (B4). */
  readonly truncationRetries: number
  /** Repairs of structured or prompted output (A4). */
  readonly schemaRepairs: number
  /** Asks of the acting person (E1). */
  readonly clarifications: number
  readonly clarificationLifetimeMs: number
  /** Dispatches of one call, the re-runs of recovery counted (D4). */
  readonly dispatches: number
  /** How late after its intent was committed a tool may start (D2). */
  readonly startWithinMs: number
  /** Largest result that is recorded whole (D9). */
  readonly recordBytes: number
  /** Largest result that a blob store keeps whole, where one is configured; and all of them that one ask of the model holds. */
  readonly blobBytes: number
  /** Neighbouring read-only calls that may run together; 1 turns it off (D5). */
  readonly concurrentReads: number
  readonly toolTimeoutMs: number
  readonly approvalLifetimeMs: number
  /** Working time of an attempt; waiting for people or for an owner is not counted. */
  readonly turnTimeoutMs: number
  /** Tries of one ask of the model. */
  readonly modelTries: number
  /** Tries of one tool call; a tool that is at-most-once has one. */
  readonly toolTries: number
  /** Turned-away resolves of one hold that are recorded; further ones are only counted. */
  readonly turnedAway: number
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  rounds: 10,
  callsPerRound: 16,
  callsPerTurn: 64,
  repairs: 3,
  repeats: 2,
  truncationRetries: 1,
  schemaRepairs: 2,
  clarifications: 3,
  clarificationLifetimeMs: 604_800_000,
  dispatches: 5,
  startWithinMs: 5_000,
  recordBytes: 65_536,
  blobBytes: 16_777_216,
  concurrentReads: 4,
  toolTimeoutMs: 60_000,
  approvalLifetimeMs: 86_400_000,
  turnTimeoutMs: 900_000,
  modelTries: 4,
  toolTries: 3,
  turnedAway: 20,
})

/** The names of the limits a turn can be exhausted by. */
export type LimitName = keyof Limits

/** What a host may write: any of the limits, and the source document's name for one of them. */
export type LimitOptions = { readonly [name in LimitName]?: number } & { readonly clarificationRounds?: number }

/**
 * The limits of a turn: the defaults, then each of the given sets over the ones before it.
 *
 * @returns the limits, or the name of the first value that is no limit or no whole number in its range
 */
export function resolveLimits(...sets: readonly (LimitOptions | undefined)[]): Limits | { readonly invalid: string } {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS }
  for (const set of sets) {
    for (const [given, value] of Object.entries(set ?? {})) {
      if (value === undefined) continue
      const name = given === 'clarificationRounds' ? 'clarifications' : given
      if (!Object.hasOwn(DEFAULT_LIMITS, name)) return { invalid: given }
      if (!Number.isSafeInteger(value) || value < least(name as LimitName)) return { invalid: given }
      limits[name] = value
    }
  }
  return Object.freeze(limits) as Limits
}

/** Tries, rounds and parallel runs start at one; everything else may be turned down to nothing. */
function least(name: LimitName): number {
  const fromOne: readonly LimitName[] = ['rounds', 'concurrentReads', 'modelTries', 'toolTries', 'dispatches', 'toolTimeoutMs']
  return fromOne.includes(name) ? 1 : 0
}
