// What happened, one line each in fixed columns: virtual milliseconds, who, what. Two runs of one seed have the same lines.

import { createHash } from 'node:crypto'

export type Trace = {
  readonly say: (who: string, what: string) => void
  readonly lines: () => readonly string[]
  /** Of all lines: equal runs have equal ones. */
  readonly digest: () => string
}

const TIME_COLUMNS = 8
const WHO_COLUMNS = 7

export function traceOver(now: () => number): Trace {
  const lines: string[] = []
  return {
    say: (who, what) => lines.push(`${now().toFixed(0).padStart(TIME_COLUMNS)}  ${who.padEnd(WHO_COLUMNS)}  ${what}`),
    lines: () => lines,
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  }
}
