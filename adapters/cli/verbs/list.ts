// `list`: turns, newest first.

import type { TurnRow } from '../../../machines/ports/rows.ts'
import { isoTime } from '../../../machines/time.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { partyText } from '../event-words.ts'
import { EXIT } from '../exit.ts'
import { filterOf, printPage, withFilter, type FilterFlags } from '../filter.ts'
import { withRuntime } from '../open.ts'
import { turnJson } from '../rows.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & FilterFlags

const words = command('list', 'List turns, newest first', 'list --state holding --label conversation=c-17 --since 2026-01-31')

export const list: Verb = verb<Flags>(withConfig(withWhere(withFilter(words))), async ({ flags, out }) =>
  withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    const page = await runtime.list({ tenant, ...filterOf(flags) })
    await printPage(out, { ...page, turns: page.turns.map(turnJson) }, HEAD, page.turns.map(cells))
    return EXIT.done
  }),
)

const HEAD = ['TURN', 'STATE', 'CODE', 'ATTEMPT', 'OPENED', 'PRINCIPAL', 'TOOLS', 'LABELS']

function cells({ turnId, state, parked, code, attempt, openedAt, principal, tools, labels }: TurnRow): string[] {
  return [
    turnId,
    parked ? `${state} (parked)` : state,
    code ?? '-',
    String(attempt),
    isoTime(openedAt),
    principal === null ? '-' : partyText(principal),
    tools.join(',') || '-',
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || '-',
  ]
}
