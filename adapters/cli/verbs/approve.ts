// `approve` and `deny`: a person's decision over a held call.

import { withConfig, type ConfigFlags } from '../config.ts'
import { acting } from '../drive.ts'
import { personHere } from '../person.ts'
import { given, json } from '../reading.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type ApproveFlags = WhereFlags & ConfigFlags & { readonly arguments?: string; readonly answers?: string }
type DenyFlags = WhereFlags & ConfigFlags & { readonly reason?: string }

const approveWords = command('approve', 'Let a held call run', 'approve 0190a0b0-0000-7000-8000-000000000000.2.1')
  .argument('<approval>', 'its id, from `approvals`')
  .option('--arguments <json>', 'run it with these arguments instead')
  .option('--answers <json>', 'what its tool wants to know: an object for each of its forms')

export const approve: Verb = verb<ApproveFlags>(withConfig(withWhere(approveWords)), async ({ words: [approvalId = ''], flags, out }) => {
  const edited = flags.arguments === undefined ? {} : { arguments: json('--arguments', flags.arguments) }
  const answers = flags.answers === undefined ? {} : { answers: json('--answers', flags.answers) }
  return acting(flags, out, ({ runtime, tenant }) =>
    runtime.approve(approvalId, { as: personHere(), via: 'app', tenant, ...edited, ...answers }),
  )
})

const denyWords = command('deny', 'Refuse a held call', `deny 0190a0b0-0000-7000-8000-000000000000.2.1 --reason 'The order is too old.'`)
  .argument('<approval>', 'its id, from `approvals`')
  .option('--reason <text>', 'why; for the record, the model is not told')

export const deny: Verb = verb<DenyFlags>(withConfig(withWhere(denyWords)), async ({ words: [approvalId = ''], flags, out }) => {
  const reason = given({ reason: flags.reason })
  return acting(flags, out, ({ runtime, tenant }) => runtime.deny(approvalId, { as: personHere(), via: 'app', tenant, ...reason }))
})
