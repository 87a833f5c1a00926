// `approvals`: what waits for a person, newest first.

import type { ApprovalRow } from '../../../machines/ports/rows.ts'
import { isoTime } from '../../../machines/time.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { partyText } from '../event-words.ts'
import { EXIT } from '../exit.ts'
import { filterOf, printPage, withFilter, type FilterFlags } from '../filter.ts'
import { withRuntime } from '../open.ts'
import { approvalJson } from '../rows.ts'
import { safeJson } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & FilterFlags & { readonly settled?: boolean }

const words = command('approvals', 'List what waits for a person', 'approvals --tool refund --json').option(
  '--settled',
  'those that were decided, expired or closed instead of the open ones',
)

export const approvals: Verb = verb<Flags>(withConfig(withWhere(withFilter(words))), async ({ flags, out }) =>
  withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    const page = await runtime.approvals({ tenant, ...filterOf(flags), settled: flags.settled === true })
    await printPage(out, { ...page, approvals: page.approvals.map(approvalJson) }, HEAD, page.approvals.map(cells))
    return EXIT.done
  }),
)

const HEAD = ['APPROVAL', 'KIND', 'TOOL', 'TURN IS', 'WHO MAY', 'EXPIRES', 'REASON', 'ARGUMENTS']

/** The arguments whole: who decides must not be shown a part of them. */
function cells(row: ApprovalRow): string[] {
  return [
    row.approvalId,
    row.settled === null ? row.kind : `${row.kind}, ${row.settled}`,
    row.tool,
    row.contentTrust,
    whoMay(row),
    isoTime(row.expiresAt),
    row.reason,
    safeJson(row.arguments),
  ]
}

/** On an untrusted turn only the acting person (C3); on a trusted one those whom the policy lists, where it lists any (C4). */
function whoMay({ contentTrust, acting, approvers }: ApprovalRow): string {
  if (contentTrust === 'trusted' && approvers !== null) return approvers.map(partyText).join(', ') || '-'
  return acting === null ? '-' : partyText(acting)
}
