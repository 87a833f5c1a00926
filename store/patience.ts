// When a store gives something up: the same in every store.

/** A turn that was claimed so often without an append is parked: it takes its workers down, or they can do nothing for it. */
export const CLAIMS_BEFORE_PARKING = 5

/**
 * A turn that was claimed so often without an append is suspect. A worker has one suspect at a time, so whatever else it drives does
 * not go down again and again with the one that takes workers down, and is not parked for it.
 */
export const CLAIMS_BEFORE_SUSPICION = 2

/**
 * So long a due turn waits for a worker that has all it offers, counted from when it was due and from when such a worker was last
 * alive: through a restart, or a release that comes to its workers one after the other. Then its tools are taken to be gone for good,
 * and any worker of its runtime may take it; a call of a tool that is gone is refused there (C7).
 */
export const UNSERVED_MS = 300_000
