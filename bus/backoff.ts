// How long to keep quiet after failures in a row: doubling, up to a bound. Without jitter, so that a seeded run is the same again.

/** @param failures in a row, from 1. @returns milliseconds */
export function backoffMs(failures: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))
}
