// The two forms of a point in time: ISO 8601 text in events, epoch milliseconds in decisions. Conversions only; no clock.

/** @returns epoch milliseconds */
export function epochMs(iso: string): number {
  return Date.parse(iso)
}

/** The last millisecond of the year 9999: what four digits can write. Deadlines beyond it stand there. */
const END_OF_TIME = 253_402_300_799_999

/** ISO 8601 in UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(Math.min(ms, END_OF_TIME)).toISOString()
}
