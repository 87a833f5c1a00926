// Which turns: the filters that `list` and `approvals` share, and the page.

import { Option, type Command } from 'commander'
import type { Outcome } from '../../machines/ids.ts'
import type { ListOptions } from '../../machines/runtime/api.ts'
import type { Output } from './output.ts'
import { fromOne, given, label, time } from './reading.ts'

export type FilterFlags = {
  readonly state?: ListOptions['state']
  readonly label?: { readonly [name: string]: string }
  readonly principal?: string
  readonly tool?: string
  readonly outcome?: Outcome
  readonly since?: number
  readonly until?: number
  readonly limit?: number
  readonly cursor?: string
}

const OUTCOMES: readonly Outcome[] = ['executed', 'refused', 'held', 'suppressed-repeat', 'ended-turn', 'invalid']

export function withFilter(command: Command): Command {
  return command
    .option('--state <state...>', 'state of the turn, one or several')
    .option('--label <name=value>', 'a label of the turn, again and again', label)
    .option('--principal <id>', 'for whom the turn acts')
    .option('--tool <name>', 'a tool that was called')
    .addOption(new Option('--outcome <outcome>', 'an outcome that a call had').choices(OUTCOMES))
    .option('--since <time>', 'opened then or later; ISO 8601, a bare date is UTC', time)
    .option('--until <time>', 'opened before then', time)
    .option('--limit <n>', 'rows, 1 to 1000 (default: 100)', fromOne)
    .option('--cursor <cursor>', 'go on behind an earlier page')
}

export function filterOf({ label: labels, state, principal, tool, outcome, since, until, limit, cursor }: FilterFlags): ListOptions {
  return given({ state, labels, principal, tool, outcome, since, until, limit, cursor })
}

type Page = { readonly next: string | null; readonly [rows: string]: unknown }

/** Prints a page: the JSON of it, or a table and on stderr how to go on. */
export async function printPage(out: Output, page: Page, head: readonly string[], rows: readonly string[][]): Promise<void> {
  await out.table(page, head, rows)
  if (!out.json && page.next !== null) out.note(`There are more: --cursor ${page.next}`)
}
