// The demo as a person reads it: one line for each event, and a line for what happened outside of the record.

import type { Event } from '../../machines/events.ts'
import type { ReplayResult, TurnResult, VerifyResult } from '../../machines/runtime/api.ts'
import { epochMs } from '../../machines/time.ts'
import { eventWords } from '../cli/event-words.ts'
import type { Output } from '../cli/output.ts'
import { safeLine } from '../cli/text.ts'
import type { LedgerRow } from './ledger.ts'

export type Story = {
  readonly begin: (asked: string) => Promise<void>
  /** What is being done meanwhile. */
  readonly say: (text: string) => Promise<void>
  readonly event: (event: Event) => void
  /** Something outside of the record. */
  readonly mark: (kind: 'kill' | 'person', text: string) => Promise<void>
  readonly end: (
    result: TurnResult,
    replayed: ReplayResult,
    verified: VerifyResult,
    ledger: readonly LedgerRow[],
    hint: string,
  ) => Promise<void>
}

const TYPE_WIDTH = 22
const LINE_CHARACTERS = 120

/** @param out with `--json` the story is not told: the facts are printed at the end */
export function storyteller(out: Output): Story {
  let first: number | null = null
  let told = Promise.resolve()
  const line = (text: string): Promise<void> => {
    if (out.json) return Promise.resolve()
    told = told.then(() => out.answer(text, () => text))
    return told
  }
  const tell = (event: Event) => {
    first ??= epochMs(event.time)
    const seconds = `+${((epochMs(event.time) - first) / 1000).toFixed(2)}s`.padStart(8)
    const words = safeLine(eventWords(event))
    const short = words.length > LINE_CHARACTERS ? `${words.slice(0, LINE_CHARACTERS)}…` : words
    // Who waits for a line waits for those before it as well.
    void line(`  ${out.ink('dim', seconds)}  ${out.ink('bold', event.type.padEnd(TYPE_WIDTH))}  ${short}`)
  }
  const marks = { kill: out.ink('red', '✗'), person: out.ink('green', '✓') }
  return {
    begin: asked => line(`\nAna asks: ${asked}\n`),
    say: text => line(`  ${out.ink('dim', `        · ${text}`)}`),
    event: tell,
    mark: (kind, text) => line(`\n         ${marks[kind]}  ${out.ink(kind === 'kill' ? 'red' : 'green', text)}\n`),
    end: async (result, replayed, verified, ledger, hint) => {
      for (const text of endLines(result, replayed, verified, ledger)) await line(text)
      await line(`\n  look again: ${hint}\n`)
    },
  }
}

function endLines(result: TurnResult, replayed: ReplayResult, verified: VerifyResult, ledger: readonly LedgerRow[]): readonly string[] {
  const written = ledger.filter(row => row.doneBy !== null)
  const transfers = written.map(
    ({ amount, account, doneBy, voidedThrough }) =>
      `${amount.toFixed(2)} EUR to ${account}, written once, by dispatch ${doneBy} (dispatches up to ${voidedThrough} can no longer write)`,
  )
  return [
    '',
    `  state     ${result.state}: ${safeLine(result.output?.text ?? '')}`,
    `  calls     ${result.calls.map(({ tool, outcome }) => `${tool} ${outcome}`).join(', ')}`,
    `  ledger    ${transfers.join('; ')}`,
    `  replay    ${replayed.state}, ${replayed.executions} executions, ${replayed.modelCalls} model calls, ${replayed.same ? 'the same' : 'not the same'}`,
    `  verify    ${verified.ok ? 'whole' : 'broken'}: ${verified.events} events, hash chain and order`,
  ]
}
