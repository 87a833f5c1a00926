// What was really done, written down before it is done: executions, requests, failures, messages, log lines. A line survives the
// process that wrote it, so what a killed worker did is known.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { JsonObject } from '../../machines/json.ts'
import type { ModelRequest } from '../../machines/ports/model.ts'

export type LedgerEntry =
  /** A tool began to run, with these arguments, nothing masked. */
  | {
      readonly kind: 'execution'
      readonly tool: string
      readonly arguments: JsonObject
      readonly ordinal: number
      readonly dispatch: number
      /** The process it ran in. */
      readonly pid: number
    }
  | { readonly kind: 'request'; readonly attempt: number; readonly round: number; readonly request: ModelRequest }
  /** A try of a round met a failure of the script. */
  | { readonly kind: 'failure'; readonly attempt: number; readonly round: number }
  /** Something went out to the bus. */
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'log'; readonly text: string }

export type EntryOf<K extends LedgerEntry['kind']> = Extract<LedgerEntry, { kind: K }>

export type Ledger = {
  /** Returns when the entry outlives the process. */
  readonly add: (entry: LedgerEntry) => void
  readonly entries: () => readonly LedgerEntry[]
}

export function memoryLedger(): Ledger {
  const entries: LedgerEntry[] = []
  return { add: entry => entries.push(entry), entries: () => entries }
}

/** A ledger that several processes write, one after the other. A reader sees what was written when it asks. */
export function fileLedger(file: string): Ledger {
  return {
    add: entry => appendFileSync(file, `${JSON.stringify(entry)}\n`),
    entries: () => {
      const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return written
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as LedgerEntry)
    },
  }
}

export function entriesOf<K extends LedgerEntry['kind']>(ledger: Ledger, kind: K): readonly EntryOf<K>[] {
  return ledger.entries().filter(entry => entry.kind === kind) as EntryOf<K>[]
}
